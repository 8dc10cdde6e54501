import Testing

@testable import Commands

@Suite("Hints") struct HintTests {
  @Test("words are quoted, and -C stands behind tsync where the command ran with it")
  func commands() {
    let hint: Hint = "to bring it back: \(typed: "restore", "todoitem/a;touch x")"
    #expect(
      HintText(option: nil, directory: "/w").text(of: hint)
        == "to bring it back: tsync restore 'todoitem/a;touch x'")
    #expect(
      HintText(option: "my list", directory: "/w/my list").text(of: hint)
        == "to bring it back: tsync -C 'my list' restore 'todoitem/a;touch x'")
  }

  @Test("every command of a hint works where the person is, and so does its directory")
  func directories() {
    let text = HintText(option: "up", directory: "/w/up")
    #expect(
      text.text(of: "look: \(typed: "pull") && \(typed: "list")")
        == "look: tsync -C up pull && tsync -C up list")
    #expect(text.text(of: "\(typed: "-C", "my list", "pull")") == "tsync -C 'up/my list' pull")
    #expect(text.text(of: "\(typed: "-C", "/my", "pull")") == "tsync -C /my pull")
    #expect(
      text.text(of: "\(shell: "env", "A=b c", "tsync", "config")")
        == "env 'A=b c' tsync -C up config")
  }

  @Test("a file of the workspace has a path that the person's shell finds")
  func places() {
    let hint: Hint = "\(shell: "mv", "-n", places: [".todosync/a b", ".todosync/c"])"
    var text = HintText(option: nil, directory: "/w", workspace: "/w")
    #expect(text.text(of: hint) == "mv -n '.todosync/a b' .todosync/c")
    text = HintText(option: nil, directory: "/w/sub", workspace: "/w")
    #expect(text.text(of: hint) == "mv -n '/w/.todosync/a b' /w/.todosync/c")
    text = HintText(option: "w", directory: "/w", workspace: "/w")
    #expect(text.text(of: hint) == "mv -n '/w/.todosync/a b' /w/.todosync/c")
  }

  @Test("what stands in the column for hints stands behind a colon on one line")
  func column() {
    let hint: Hint = "nothing is lost\(.column)try again: \(typed: "push")"
    let text = HintText(option: nil, directory: "/")
    #expect(text.parts(of: hint) == ("nothing is lost", "try again: tsync push"))
    #expect(text.text(of: hint) == "nothing is lost: try again: tsync push")
  }
}
