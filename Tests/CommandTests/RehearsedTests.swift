import CommandSupport
import Glibc
import TestSupport
import Testing

/// A dry run prints what the command then does.
@Suite struct RehearsedTests {
  private static let words = [
    "would remove": "removed", "would change": "changed", "would rename": "renamed",
    "would restore": "restored", "would drop": "dropped", "would resolve": "resolved",
    "would leave": "left", "to forget": "forgotten",
  ]

  /// Does something that somebody might do.
  private func meddle(_ anna: Person, _ ben: Person, _ random: inout SplitMix64, _ number: Int) {
    let id = "i\(random.below(6))"
    let file = anna.file(id)
    switch random.below(9) {
    case 0, 1: anna.run("new", "-s", "id=\(id)", "-s", "n=\(number)", "Item \(id)")
    case 2: anna.directory.write(#"{"text": "By hand \#(number)"}"#, to: file)
    case 3: unlink(anna.directory.path(of: file))
    case 4: anna.directory.write("{", to: file)
    case 5: anna.run("push")
    case 6: anna.run("sync")
    case 7: anna.run("rm", id)
    default:
      ben.run("pull")
      ben.run("set", id, "text=Theirs \(number)")
      ben.run("push")
    }
  }

  @Test(
    "-n prints what the command does",
    arguments: ["rm", "set", "mv", "restore", "resolve", "purge", "undo"])
  func rehearses(word: String) throws {
    let server = try RunningServer()
    let (anna, ben) = (try Person(cloning: server.url), try Person(cloning: server.url))
    let seed: UInt64 = 20_261_129
    var random = SplitMix64(seed: seed)
    var done = 0
    for number in 0..<50 {
      for _ in 0...random.below(4) { meddle(anna, ben, &random, number) }
      // What waits is applied ahead of any command that writes.
      anna.run("pull")
      let id = "i\(random.below(6))"
      let rest =
        switch word {
        case "rm": [id]
        case "set": [id, "n=\(number)"]
        case "mv": [id, random.once(in: 2) ? "m\(number)" : "i\(random.below(6))"]
        case "restore": random.once(in: 3) ? ["-a"] : [id]
        case "resolve": ["-a", random.once(in: 2) ? "--client" : "--server"]
        case "purge": random.once(in: 2) ? ["--discard"] : []
        default: [String]()
        }
      let would = anna.run([word, "-n"] + rest)
      let did = anna.run([word] + rest)
      var output = would.output
      for (word, past) in Self.words { output = output.replacing(word, with: past) }
      #expect(output == did.output, "seed \(seed), \(number): \(rest)")
      #expect(would.status == did.status, "seed \(seed), \(number): \(rest) \(would) \(did)")
      if did.status == 0, !did.output.isEmpty { done += 1 }
    }
    #expect(done >= 5)
  }
}
