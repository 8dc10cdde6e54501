/// A command line as the history keeps it: what was done to what, without what was written
/// (decisions.md 32).
///
/// A value stands for `…`: what follows `=` in a word, what follows `:/`, and words that are a text as a
/// whole. What holds a `@` may be an address with a password.
struct RecordedWords: CustomStringConvertible {
  /// The words, divided by blanks.
  let description: String

  /// Takes a command line, the command's name first.
  init(_ words: [String]) {
    var shown: [String] = []
    var free = 0
    var isValue = false
    var isOver = false
    for word in words {
      let bytes = word.utf8
      if !isOver, bytes.first == UInt8(ascii: "-") {
        isOver = bytes.elementsEqual("--".utf8)
        isValue = Self.valued.contains(word)
        shown.append(Self.safe(word))
      } else if isValue {
        isValue = false
        shown.append(Self.safe(word))
      } else {
        free += 1
        let isKept = free <= Self.kept[words.first ?? ""] ?? .max
        let text = isKept ? Self.safe(word) : "…"
        if isKept || shown.last != "…" { shown.append(text) }
      }
    }
    description = shown.joined(separator: " ")
  }

  /// How many words that are no options are kept of commands whose other words are texts.
  private static let kept = ["new": 1, "config": 2]

  /// The options whose value is the next word.
  private static let valued: Set = [
    "-C", "-t", "--table", "--color", "--trace", "-s", "--set", "-f", "--file", "--field",
    "--where", "--unset", "-j", "--jobs", "--max-delete", "--tool", "--token-file",
    "--application-key-file", "--query",
  ]

  private static func safe(_ word: String) -> String {
    let bytes = word.utf8
    if let sign = bytes.firstIndex(of: UInt8(ascii: "=")) { return "\(word[...sign])…" }
    if bytes.starts(with: ":/".utf8) { return ":/…" }
    return bytes.contains(UInt8(ascii: "@")) ? "…" : word
  }
}
