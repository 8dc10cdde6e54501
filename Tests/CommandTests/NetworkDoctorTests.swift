import CommandSupport
import Commands
import TestSupport
import Testing

@Suite("The doctor and the server")
struct NetworkDoctorTests {
  @Test("--deep says what brings rows that are gone without a trace, or what is to be done first")
  func deepAndGone() throws {
    let table = try HostileTable()
    for (place, id) in ["a", "b", "c", "d"].enumerated() { table.put(id, at: place) }
    let anna = Person()
    #expect(anna.clone(table).status == 0)
    table.change { $0.entries.removeFirst(2) }
    let found = anna.run("doctor", "--deep")
    #expect(
      found.output == """
        server  todoitem/a: is not there, and was not deleted in a way that shows
        server  todoitem/b: is not there, and was not deleted in a way that shows

        """)
    #expect(found.error.hasSuffix(" tsync pull --full\n"), "\(found.error)")
    anna.run("set", "a", "text=mine")
    anna.directory.write("{", to: anna.file("b"))
    anna.run("pull", "--full")
    let open = anna.run("doctor", "--deep")
    #expect(
      open.output.hasSuffix(
        """
        server  todoitem/a: is not there, and was not deleted in a way that shows \
        · tsync resolve todoitem/a
        server  todoitem/b: is not there, and was not deleted in a way that shows \
        · mend items/todoitem/b.json

        """), "\(open)")
    #expect(open.error.hasSuffix("2 differ on the server\n"), "\(open.error)")
  }
}
