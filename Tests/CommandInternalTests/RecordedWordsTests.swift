import Testing

@testable import Commands

@Suite struct RecordedWordsTests {
  @Test(
    "the history has what was done to what, and no values",
    arguments: [
      ("set|milk|text=secret|n:=1", "set milk text=… n:=…"),
      ("set|--where|text.has=secret|due=x", "set --where text.has=… due=…"),
      ("set|:/secret words|due=x", "set :/… due=…"),
      ("set|milk|--unset|due", "set milk --unset due"),
      ("new|Buy|secret|milk", "new …"), ("new|-s|id=milk|-e|Buy", "new -s id=… -e …"),
      ("new|-C|dir|--set=text=secret|--|-secret", "new -C dir --set=… -- …"),
      ("new|-f|list.jsonl", "new -f list.jsonl"),
      ("config|credential.command|pass show x", "config credential.command …"),
      ("config|--unset|pager", "config --unset pager"),
      ("remote|set|https://a:secret@example.org", "remote set …"),
      ("remote|set|https://example.org", "remote set https://example.org"),
      ("resolve|-f|text=secret|milk", "resolve -f text=… milk"),
      ("rm|todoitem/milk|text=secret", "rm todoitem/milk text=…"), ("push|-j|4", "push -j 4"),
      ("mv|milk|oat-milk", "mv milk oat-milk"),
    ])
  func words(line: String, recorded: String) {
    let words = line.split(separator: "|").map(String.init)
    #expect(RecordedWords(words).description == recorded)
  }
}
