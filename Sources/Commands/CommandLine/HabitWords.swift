import SyncEngine

/// Words of git, Taskwarrior, SQL and the shell, and the tsync command for each.
enum HabitWords {
  /// The words, separated by blanks, and the answer to each of them.
  private static let answers: [(words: String, answer: Hint)] = [
    ("add", "a new file is already an item; to make one: \(typed: "new", "TEXT")"),
    ("insert create", "to make an item: \(typed: "new", "TEXT")"),
    (
      "import",
      "to make items: \(typed: "new", "-f", "FILE"); see \"From a CSV\" in tsync-new(1)"
    ),
    (
      "export",
      "to print all items: \(typed: "list", "-a", "--csv") or \(typed: "list", "-a", "--json")"
    ),
    ("commit", "changes are recorded as they are made; to send them: \(typed: "push")"),
    ("checkout switch", "there are no branches; to drop a change: \(typed: "restore", "REF")"),
    ("branch", "there are no branches"),
    ("fetch", "to receive changes from the server: \(typed: "pull")"),
    (
      "merge rebase",
      "pull and push merge by themselves; to resolve a conflict: \(typed: "resolve")"
    ),
    ("reset", "to drop changes made here: \(typed: "restore", "REF")"),
    (
      "revert rollback",
      "to take back a command: \(typed: "undo", "N"), with its number in \(typed: "log")"
    ),
    ("history reflog", "to list commands and their changes: \(typed: "log")"),
    ("stash", "a pull keeps your changes; to pull: \(typed: "pull")"),
    ("ls select", "to list items: \(typed: "list")"),
    ("find search grep", "to list the items that have a text: \(typed: "list", "WORD")"),
    ("cat get info", "to show an item: \(typed: "show", "REF")"),
    ("delete remove drop", "to remove items: \(typed: "rm", "REF")"),
    ("rename move", "to give an item another id: \(typed: "mv", "REF", "NEWID")"),
    ("version", "to see the version: \(typed: "--version")"),
    ("update modify", "to set fields: \(typed: "set", "REF", "FIELD=VALUE")"),
    ("fsck diagnostics", "to check the workspace: \(typed: "doctor")"),
    ("login", "to store a token for the server: \(typed: "remote", "login")"),
    ("logout", "to delete the token for the server: \(typed: "remote", "logout")"),
  ]

  /// Returns the answer to a word of another program; `nil` if it is none.
  static func answer(to word: String) -> Hint? {
    answers.first { $0.words.split(separator: " ").contains { $0.utf8.elementsEqual(word.utf8) } }?
      .answer
  }

  /// Returns the hint for a word that is not a command, if there is one.
  static func answer(to word: String, commands: [String]) -> Hint? {
    if let known = answer(to: word) { return known }
    return nearest(word, of: commands).map { "did you mean \(typed: $0)?" }
  }

  /// Returns the only name that begins with the word, or the name that is nearest in spelling.
  static func nearest(_ word: String, of names: [String]) -> String? {
    let begun = names.filter { $0.utf8.starts(with: word.utf8) }
    return begun.count == 1 ? begun[0] : near(word, of: names)
  }

  /// Returns the name that is nearest in spelling, if it is a word's with few typing errors.
  static func near(_ word: String, of names: [String]) -> String? {
    if let same = names.first(where: { $0.lowercased() == word.lowercased() }) { return same }
    let distances = names.map { (name: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    // One typing error in a short word, two in a longer one.
    let limit = min(word.utf8.count < 5 ? 1 : 2, word.utf8.count - 1)
    return best.distance <= limit ? best.name : nil
  }

  /// Returns the number of inserted, removed, replaced or swapped letters (string alignment).
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var rows = [Array(0...other.count)]
    for (i, letter) in one.enumerated() {
      var row = [i + 1]
      for (j, second) in other.enumerated() {
        var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == second ? 0 : 1))
        if i > 0, j > 0, letter == other[j - 1], one[i - 1] == second {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
