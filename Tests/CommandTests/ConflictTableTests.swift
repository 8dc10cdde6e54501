import SyncModel
import TestSupport
import Testing

@testable import Commands

@Suite("The view of a conflict")
struct ConflictTableTests {
  static let passport = Conflict(
    kind: .modified, base: item(["text": "Renew passport", "due": "2026-02-27"]),
    client: item(["text": "Renew passport", "due": "2026-03-03"]),
    server: item(["text": "Renew passport", "due": "2026-03-10", "notes": "bring photos"]))

  static let plumber = Conflict(
    kind: .deletedHere, base: item(["text": "Call the plumber", "due": "2026-03-01"]), client: nil,
    server: item([
      "text": "Call the plumber about the boiler in the cellar", "due": "2026-03-01",
    ]))

  private static func letter(_ month: String) -> Item {
    item([
      "text": .string(
        Text(
          "Ask the landlord whether the contract that ends in March can be prolonged until the end "
            + "of \(month), and for which rent"))
    ])
  }
  static let landlord = Conflict(
    kind: .modified, base: letter("June"), client: letter("July"), server: letter("August"))

  private static func list(_ lines: String...) -> Item {
    item(["text": "Pack", "notes": .string(Text(lines.joined(separator: "\n")))])
  }
  static let packing = Conflict(
    kind: .modified,
    base: list("passport", "tickets", "charger", "", "for the beach:", "towel", "hat"),
    client: list("passport", "tickets", "two chargers", "", "for the beach:", "towel", "hat"),
    server: list(
      "passport", "tickets", "charger, adapter", "", "for the beach:", "towel", "hat", "sun cream",
      "umbrella", "a ball", "sandals"))

  private static func item(_ members: JSON) -> Item { Item(members.object ?? JSONObject()) }

  static func lines(
    _ conflict: Conflict, _ columns: Int, title: String = "todoitem/2b9e  Renew passport"
  ) -> [String] {
    let fields = conflict.base.flatMap { base in
      conflict.client.flatMap { client in
        conflict.server.map {
          FieldMerge(base: base, client: client, server: $0, policy: MergePolicy())
        }
      }
    }
    let whole = Conflict(
      kind: conflict.kind, base: conflict.base, client: conflict.client, server: conflict.server,
      fields: fields)
    return ConflictTable(
      whole, place: "2 of 5", title: Line(title), times: ("10:02", "10:14"), columns: columns
    ).lines.map(\.text)
  }

  private func expect(_ conflict: Conflict, _ columns: Int, _ screen: String) {
    let lines = Self.lines(conflict, columns)
    #expect(lines.joined(separator: "\n") == screen)
    #expect(lines.allSatisfy { Terminal.columns(of: $0) <= columns })
  }

  @Test("edited on both sides, at 80 columns")
  func edited80() {
    expect(
      Self.passport, 80,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
                base        client (10:02)  server (10:14)
      ! due     2026-02-27  2026-03-03      2026-03-10
        notes   -           -               bring photos
      """)
  }

  @Test("edited on both sides, at 40 columns")
  func edited40() {
    expect(
      Self.passport, 40,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
        client (10:02), server (10:14)
      ! due
          base    2026-02-27
          client  2026-03-03
          server  2026-03-10
        notes
          base    -
          client  -
          server  bring photos
      """)
  }

  @Test("deleted here, edited on the server, at 80 columns")
  func deleted80() {
    expect(
      Self.plumber, 80,
      """
      2 of 5 · deleted here, edited on the server
      todoitem/2b9e  Renew passport
                base              client (deleted)  server (10:14)
        text    Call the plumber  -                 …mber about the boile…
        due     2026-03-01        -                 2026-03-01
      """)
  }

  @Test("deleted here, edited on the server, at 40 columns")
  func deleted40() {
    expect(
      Self.plumber, 40,
      """
      2 of 5 · deleted here, edited on the
      server
      todoitem/2b9e  Renew passport
        client (deleted), server (10:14)
        text
          base    Call the plumber
          client  -
          server  …umber about the boiler in …
        due
          base    2026-03-01
          client  -
          server  2026-03-01
      """)
  }

  @Test("of a long value the part that differs is shown, at 80 columns")
  func long80() {
    expect(
      Self.landlord, 80,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
                base                    client (10:02)          server (10:14)
      ! text    … of June, and for wh…  … of July, and for wh…  … of August, and for …
      """)
  }

  @Test("of a long value the part that differs is shown, at 40 columns")
  func long40() {
    expect(
      Self.landlord, 40,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
        client (10:02), server (10:14)
      ! text
          base    …d of June, and for which r…
          client  …d of July, and for which r…
          server  …d of August, and for which…
      """)
  }

  @Test("a text of several lines is shown as a difference, at 80 columns")
  func lines80() {
    expect(
      Self.packing, 80,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
                base     client (10:02)  server (10:14)
      ! notes   7 lines  7 lines         11 lines
          base to client:
           tickets
          -charger
          +two chargers

          base to server:
           tickets
          -charger
          +charger, adapter

           …
           hat
          +sun cream
          +umbrella
          … and 2 more
      """)
  }

  @Test("a text of several lines is shown as a difference, at 40 columns")
  func lines40() {
    expect(
      Self.packing, 40,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
        client (10:02), server (10:14)
      ! notes
          base    7 lines
          client  7 lines
          server  11 lines
          base to client:
           tickets
          -charger
          +two chargers

          base to server:
           tickets
          -charger
          +charger, adapter

           …
           hat
          +sun cream
          +umbrella
          … and 2 more
      """)
  }

  @Test("each kind has its words")
  func kinds() {
    let item = Self.passport.client
    func words(_ kind: Conflict.Kind, _ client: Item?, _ server: Item?) -> String {
      Conflict(kind: kind, base: nil, client: client, server: server).words
    }
    #expect(words(.modified, item, item) == "edited here and on the server")
    #expect(words(.added, item, item) == "added here and on the server")
    #expect(words(.deletedThere, item, nil) == "edited here, deleted on the server")
    #expect(words(.deletedHere, nil, item) == "deleted here, edited on the server")
    #expect(words(.deletedHere, nil, nil) == "deleted here and on the server")
  }

  @Test("a text that both sides add is compared between them, one that one side adds is shown")
  func added() {
    func text(_ base: JSON?, _ client: JSON?, _ server: JSON?) -> [String] {
      func item(_ value: JSON?) -> Item {
        var object = JSONObject()
        if let value { object.append("notes", value) }
        return Item(object)
      }
      let conflict = Conflict(
        kind: .modified, base: item(base), client: item(client), server: item(server))
      return Array(Self.lines(conflict, 80).dropFirst(4))
    }
    #expect(
      text(nil, "a\nb", "a\nc") == ["    client to server:", "     a", "    -b", "    +c"])
    #expect(text(nil, nil, "a\nb") == ["    base to server:", "    +a", "    +b"])
    // What a side has removed is told by its cell.
    #expect(text("a\nb", nil, "a") == ["    base to server:", "     a", "    -b"])
    // A line that is added at the end changes no other line, nor does a line end.
    #expect(text("a", "a\nb", "a") == ["    base to client:", "     a", "    +b"])
    #expect(text("a\nb", "a\nb\n", "c").prefix(3) == ["    base to client:", "     b", "    +"])
  }

  @Test("no line is longer than the terminal, whatever is in conflict")
  func fits() {
    var random = SplitMix64(seed: 59)
    let pieces = ["a", "日本", "e\u{301}", " ", "\n", "\u{1B}", "word ", "👍", "\t", "\r\n"]
    func text() -> Text {
      Text((0..<random.below(60)).map { _ in pieces[random.below(pieces.count)] }.joined())
    }
    for _ in 0..<100 {
      let names = (0..<3).map { _ in text() }
      func item() -> Item? {
        guard random.below(5) > 0 else { return nil }
        var object = JSONObject()
        for name in names where random.below(4) > 0 { object[name] = .string(text()) }
        return Item(object)
      }
      let conflict = Conflict(kind: .modified, base: item(), client: item(), server: item())
      for columns in [30, 40, 60, 80, 200] {
        let lines = Self.lines(conflict, columns, title: text().string)
        #expect(lines.allSatisfy { Terminal.columns(of: $0) <= columns })
      }
    }
  }
}

@Suite("What resolve asks")
struct AskingTests {
  /// A world with conflicts of these kinds, each about an item with the kind's name as its id.
  static func world(_ kinds: String...) throws -> CaseWorld {
    let world = try CaseWorld()
    for id in kinds {
      try world.server.request("POST", "tables/todoitem", #"{"id": "\#(id)", "text": "Milk"}"#)
    }
    world.anna.run("pull")
    for id in kinds {
      let target = "tables/todoitem/\(id)"
      if id == "dm" { world.anna.run("rm", id) } else { world.anna.run("set", id, "text=Oat milk") }
      if id == "md" {
        try world.server.request("DELETE", target)
      } else {
        try world.server.request("PATCH", target, #"{"text": "Soy milk"}"#)
      }
    }
    world.anna.run("pull")
    return world
  }

  /// Returns what a person sees who types answers, all times of day the same.
  static func screen(_ world: CaseWorld, _ columns: Int, _ answers: String...) -> String {
    world.anna.columns = columns
    world.anna.types = answers
    return world.anna.run("resolve").error.replacing(/\d\d:\d\d/, with: "10:02")
      .replacing("[e] ", with: "[e]\n")
  }

  @Test("the place among all, and what each answer does where one side deleted the item")
  func places() throws {
    let world = try Self.world("dm", "md", "mm")
    #expect(
      Self.screen(world, 80, "l", "l", "l") == """
        1 of 3 · deleted here, edited on the server
        todoitem/dm  Soy milk
                  base  client (deleted)  server (10:02)
          text    Milk  -                 Soy milk
        c  delete it on the server
        s  bring the server's version back
        [c]lient, [s]erver, [e]dit, [l]eave, [q]uit? [e]
        2 of 3 · edited here, deleted on the server
        todoitem/md  Oat milk
                  base  client (10:02)  server (deleted)
          text    Milk  Oat milk        -
        c  bring it back on the server with your version
        s  delete it here
        b  delete it here, and add your version as a new item
        [c]lient, [s]erver, [e]dit, [b]oth, [l]eave, [q]uit? [e]
        3 of 3 · edited here and on the server
        todoitem/mm  Oat milk
                  base  client (10:02)  server (10:02)
        ! text    Milk  Oat milk        Soy milk
        [c]lient, [s]erver, [e]dit, [b]oth, [l]eave, [q]uit? [e]
        3 left                                           SIDE is client, server or both: tsync resolve --SIDE REF

        """)
  }

  @Test("at 40 columns nothing is longer, the question and its explanation neither")
  func narrow() throws {
    let world = try Self.world("md")
    #expect(
      Self.screen(world, 40, "?", "l") == """
        edited here, deleted on the server
        todoitem/md  Oat milk
          client (10:02), server (deleted)
          text
            base    Milk
            client  Oat milk
            server  -
        c  bring it back on the server with your
           version
        s  delete it here
        b  delete it here, and add your version
           as a new item
        [c]lient, [s]erver, [e]dit, [b]oth,
        [l]eave, [q]uit? [e]
        c  bring it back on the server with your
           version
        s  delete it here
        b  delete it here, and add your version
           as a new item
        e  open the editor on the merged item,
           with the conflict marked
        l  leave it; tsync asks again next time
        q  leave it and all that follow
        [c]lient, [s]erver, [e]dit, [b]oth,
        [l]eave, [q]uit? [e]
        1 left                                           SIDE is client, server or both: tsync resolve --SIDE REF

        """)
  }

  @Test("where both were edited the answers are explained when that is asked for")
  func explains() throws {
    let world = try Self.world("mm")
    #expect(
      Self.screen(world, 80, "?", "l") == """
        edited here and on the server
        todoitem/mm  Oat milk
                  base  client (10:02)  server (10:02)
        ! text    Milk  Oat milk        Soy milk
        [c]lient, [s]erver, [e]dit, [b]oth, [l]eave, [q]uit? [e]
        c  keep your version of the fields in conflict; the next push sends it
        s  take the server's version of them
        b  keep both: this item becomes the server's, and yours a new item
        e  open the editor on the merged item, with the conflict marked
        l  leave it; tsync asks again next time
        q  leave it and all that follow
        [c]lient, [s]erver, [e]dit, [b]oth, [l]eave, [q]uit? [e]
        1 left                                           SIDE is client, server or both: tsync resolve --SIDE REF

        """)
  }

  @Test("where both are kept the new item is named, as it is listed")
  func namesCopy() throws {
    let world = try Self.world("md", "mm")
    world.anna.types = ["b"]
    #expect(
      world.anna.run("resolve", "-n", "--both", "mm").output
        == "would resolve mm  Soy milk (both)\n")
    world.anna.types = nil
    let json = try JSON(
      parsing: Array(world.anna.run("resolve", "--json", "--both", "mm").output.utf8))
    let newID = json.object?["items"]?.elements?.first?.object?["newId"]?.text
    #expect(try world.anna.item(#require(newID).string)?.contains("Oat milk") == true)
    let resolved = world.anna.run("resolve", "--both", "md").output
    let listed = world.anna.run("list").output.split(separator: "\n")
    let known = try #require(newID).string.prefix(4)
    let name = try #require(listed.first { !$0.hasPrefix(known) && !$0.hasPrefix("mm") })
      .prefix { $0 != " " }
    #expect(resolved == "resolved md  Oat milk (both, which deletes it: new item \(name))\n")
  }
}
