/// The words that people bring with them from other programs, and what to type instead
/// (decisions.md 37).
enum HabitWords {
  /// The words, and the answer to each.
  static let answers: [(word: String, answer: String)] = [
    ("add", "a new file is an item already; to make one: tsync new TEXT"),
    ("commit", "changes are recorded as they are made; to send them: tsync push"),
    ("checkout", "there are no branches; to drop a change: tsync restore REF"),
    ("switch", "there are no branches; to drop a change: tsync restore REF"),
    ("branch", "there are no branches"),
    ("fetch", "to bring what changed on the server: tsync pull"),
    ("merge", "pull and push merge by themselves; to settle a conflict: tsync resolve"),
    ("rebase", "pull and push merge by themselves; to settle a conflict: tsync resolve"),
    ("reset", "to drop changes made here: tsync restore REF"),
    ("revert", "to drop changes made here: tsync restore REF"),
    ("stash", "changes don't stand in the way of a pull: tsync pull"),
    ("log", "what was sent and what was answered: tsync journal"),
    ("ls", "to list items: tsync list"),
    ("cat", "to show an item: tsync show REF"),
    ("delete", "to remove items: tsync rm REF"),
    ("remove", "to remove items: tsync rm REF"),
    ("undo", "to drop changes made here: tsync restore REF"),
    ("version", "to see the version: tsync --version"),
    ("update", "to set fields: tsync set REF FIELD=VALUE"),
    ("login", "to keep a token for the server: tsync remote login"),
    ("logout", "to forget the token for the server: tsync remote logout"),
  ]

  /// Returns the answer to a word that is no command; `nil` where there is nothing to say.
  static func answer(to word: String, commands: [String]) -> String? {
    if let known = answers.first(where: { $0.word.utf8.elementsEqual(word.utf8) }) {
      return known.answer
    }
    return nearest(word, of: commands).map { "did you mean tsync \($0)?" }
  }

  /// Returns the name that a word is a misspelling of; `nil` where none is near.
  static func nearest(_ word: String, of names: [String]) -> String? {
    let distances = names.map { (name: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    // One slip in a short word, two in a longer one.
    return best.distance <= (word.utf8.count < 5 ? 1 : 2) ? best.name : nil
  }

  /// Returns how many letters must be put in, taken out, replaced or swapped with their neighbour
  /// (optimal string alignment).
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
