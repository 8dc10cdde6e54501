import CommandSupport
import TestSupport
import Testing

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

  @Test("the place among all, and what each answer does; of edits on both sides where it is asked")
  func places() throws {
    let world = try Self.world("dm", "md", "mm")
    #expect(
      Self.screen(world, 80, "l", "l", "?", "l") == """
        1 of 3 · deleted here, edited on the server
        todoitem/dm  Soy milk
                  base  client (deleted)  server (10:02)
          text    Milk  -                 Soy milk
        c  delete it on the server
        s  bring the server's version back
        [c]lient, [s]erver, [C]/[S] all alike, [e]dit, [l]eave, [q]uit? [e]
        2 of 3 · edited here, deleted on the server
        todoitem/md  Oat milk
                  base  client (10:02)  server (deleted)
          text    Milk  Oat milk        -
        c  bring it back on the server with your version
        s  delete it here
        b  delete it here, and add your version as a new item
        [c]lient, [s]erver, [C]/[S] all alike, [e]dit, [b]oth, [l]eave, [q]uit? [e]
        3 of 3 · edited here and on the server
        todoitem/mm  Oat milk
                  base  client (10:02)  server (10:02)
        ! text    Milk  Oat milk        Soy milk
        [c]lient, [s]erver, [C]/[S] all alike, [e]dit, [b]oth, [l]eave, [q]uit? [e]
        c  keep your version of what is in conflict; the next push sends it
        s  take the server's version of them
        b  keep both: this item becomes the server's, and yours a new item
        C  as c, for all that follow of the same kind, too
        S  as s, for all that follow of the same kind, too
        e  open the editor on the merged item, with the conflict marked
        l  leave it; tsync asks again next time
        q  leave it and all that follow
        [c]lient, [s]erver, [C]/[S] all alike, [e]dit, [b]oth, [l]eave, [q]uit? [e]
        3 left                                           to keep your version (or --server): tsync resolve --client todoitem/dm

        """)
  }

  @Test("C and S decide all that follow of the same kind; others are asked about")
  func capitals() throws {
    let world = try Self.world("a", "b", "dm", "md", "mm")
    world.anna.types = ["C", "C", "S"]
    let outcome = world.anna.run("resolve")
    #expect(
      outcome.output == """
        resolved a  Oat milk (client)
        resolved b  Oat milk (client)
        resolved dm  Soy milk (client, which deletes it)
        resolved md  Oat milk (server, which deletes it)
        resolved mm  Oat milk (client)

        """)
    #expect(outcome.error.matches(of: /\[q\]uit/).count == 3, "\(outcome)")
  }

  @Test("at 40 columns nothing is longer, the question and its explanation neither")
  func narrow() throws {
    let world = try Self.world("md")
    #expect(
      Self.screen(world, 40, "l") == """
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
        1 left                                           to keep your version (or --server): tsync resolve --client todoitem/md

        """)
  }
}
