import CommandSupport
import Commands
import TestSupport
import Testing

@Suite("The doctor and the server")
struct NetworkDoctorTests {
  @Test("--deep foretells what becomes of rows that are gone without a trace")
  func deepAndGone() throws {
    let table = try HostileTable()
    for (place, id) in ["a", "b", "c", "d"].enumerated() { table.put(id, at: place) }
    let anna = Person()
    #expect(anna.clone(table).status == 0)
    table.change { $0.entries.removeFirst(2) }
    let found = anna.run("doctor", "--deep")
    #expect(found.status == 0)
    #expect(found.output == "would delete a  x\nwould delete b  x\n")
    #expect(anna.item("a") != nil)
    anna.run("set", "a", "text=mine")
    anna.directory.write("{", to: anna.file("b"))
    anna.run("pull", "--full")
    let open = anna.run("doctor", "--deep")
    #expect(open.status == 3)
    // What is in conflict already is no news.
    #expect(open.output.hasSuffix("\nwould hold b  x\n"), "\(open)")
  }
}
