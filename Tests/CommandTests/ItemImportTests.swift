import CommandSupport
import Commands
import TestSupport
import Testing

/// Items that are made from a file.
@Suite struct ItemImportTests {
  @Test(
    "input that is larger than the limit is refused, and nothing is made",
    arguments: [
      ("tsync new -f /dev/zero", "/dev/zero"), ("tsync new -f - </dev/zero", "standard input"),
      // What is read of it by the limit are items.
      ("yes '{\"text\": \"Milk\"}' | tsync new -f -", "standard input"),
    ])
  func refusesLargeInput(line: String, place: String) throws {
    let anna = Person()
    anna.run("init", "list")
    let refused = try anna.shell(line)
    #expect(refused.status == 2)
    #expect(refused.error == "tsync: new: \(place) is larger than 64 MiB\n")
    #expect(refused.output == "" && anna.items == [])
  }
}
