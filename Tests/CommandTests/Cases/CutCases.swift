import CommandSupport
import Commands
import SyncModel
import TestSupport
import Testing

/// The line cut after each byte of a whole command's conversation, in both directions:
/// what it ends with, and what becomes of its deed.
///
/// Every day a sample is cut, chosen by a seed that is printed and that `TSYNC_SEED` sets; with
/// `TSYNC_CAMPAIGN=1` every byte.
@Suite(.onThreads) struct CutCases {
  @Test(
    "cases 38, 60, N1, N3: a command whose line is cut ends with 5 or 0, and the next makes it good",
    arguments: ["mobile-services", "mobile-apps", "datasync", "community-toolkit"], Deed.allCases)
  func cuts(dialect: String, deed: Deed) throws {
    let line = try CutLine(dialect: dialect)
    var life = Life(line: line, deed: deed)
    try life.prepare()
    #expect(life.perform().status == 0)
    let whole = try #require(line.lastPassage)
    try life.check("whole")
    var chance = SplitMix64(seed: Cuts.seed)
    var count = 0
    for cut in Cuts.of(whole, every: 300, &chance) {
      try life.prepare()
      let broken = life.perform(on: cut.course)
      #expect([0, 5].contains(broken.status), "\(cut): \(broken)")
      try life.settle("\(cut)")
      count += 1
    }
    #expect(line.known?.contains("\"\(dialect)\"") == true)
    print("\(dialect), \(deed): commands cut: \(count), all settled (seed \(Cuts.seed))")
  }
}

/// One deed done again and again, each time to another item or with another content.
private struct Life {
  let line: CutLine
  let deed: Deed
  private var number = 1_000
  private var id: String { "i\(number)" }
  private var text: String { "text \(number)" }

  init(line: CutLine, deed: Deed) {
    (self.line, self.deed) = (line, deed)
  }

  /// Brings the client and the server to where the deed begins.
  mutating func prepare() throws {
    number += 1
    let anna = line.anna
    switch deed {
    case .insert:
      anna.run("new", "-s", "id=\(id)", text)
    case .update, .merge, .delete:
      anna.run("new", "-s", "id=\(id)", "Old")
      anna.run("push")
      if deed == .merge {
        try line.server.request("PATCH", "tables/todoitem/\(id)", #"{"notes": "theirs"}"#)
      }
      if deed == .delete { anna.run("rm", id) } else { anna.run("set", id, "text=\(text)") }
    case .undelete:
      anna.run("new", "-s", "id=\(id)", "Old")
      anna.run("push")
      anna.run("rm", id)
      anna.run("push")
      anna.directory.write(#"{"text": "\#(text)"}"#, to: anna.file(id))
    case .pull:
      try line.server.request(
        "POST", "tables/todoitem", #"{"id": "\#(id)", "text": "\#(text)"}"#)
    }
  }

  /// Does it.
  func perform(on courses: ByteProxy.Course...) -> Outcome {
    let course = courses.first ?? .clear
    return line.run(deed == .pull ? "pull" : "push", on: course)
  }

  /// Does it again on a clear line, and looks at what has become of it.
  func settle(_ place: String) throws {
    let again = perform()
    #expect(again.status == 0, "\(deed), \(place): \(again.error)")
    try check(place)
  }

  /// Looks at both sides: one row, the right content, no conflict, nothing left to do.
  func check(_ place: String) throws {
    let third = line.anna.run("push")
    #expect(
      third == Outcome(status: 0, output: "", error: "nothing to push\n"), "\(deed), \(place)")
    #expect(line.anna.conflicts == [], "\(deed), \(place)")
    let rows = try line.server.rows(id)
    #expect(rows.count == 1, "\(deed), \(place)")
    let row = rows.first
    #expect(row?["deleted"]?.boolean ?? false == (deed == .delete), "\(deed), \(place)")
    if deed != .delete {
      #expect(row?["text"]?.text?.string == text, "\(deed), \(place)")
      #expect(line.anna.item(id)?.contains(text) == true, "\(deed), \(place)")
    } else {
      #expect(line.anna.item(id) == nil, "\(deed), \(place)")
    }
    if deed == .merge {
      #expect(row?["notes"]?.text == "theirs", "\(deed), \(place)")
      #expect(line.anna.item(id)?.contains("theirs") == true, "\(deed), \(place)")
    }
  }
}
