import SyncModel

/// Bytes of ASCII text, looked at without Swift's idea of a character.
extension UInt8 {
  /// A blank, tab or line end.
  var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension Collection<UInt8> {
  /// Whether the bytes are those of a word, ASCII capitals and small letters being the same.
  func isWord(_ word: String) -> Bool {
    elementsEqual(word.utf8) { $0.lowered == $1.lowered }
  }

  /// Whether the bytes begin with those of a word, ASCII capitals and small letters being the same.
  func begins(withWord word: String) -> Bool {
    prefix(word.utf8.count).isWord(word)
  }

  /// Whether a word is anywhere in the bytes, ASCII capitals and small letters being the same.
  func holds(word: String) -> Bool {
    var rest = self[...]
    while !rest.isEmpty {
      if rest.begins(withWord: word) { return true }
      rest = rest.dropFirst()
    }
    return false
  }

  /// The number that the bytes write in decimal digits; `nil` where they are none, or too many.
  var decimal: Int? {
    guard !isEmpty, count <= 18, allSatisfy(\.isDigit) else { return nil }
    return reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

extension BidirectionalCollection<UInt8> {
  /// The bytes without blanks at either end.
  var trimmed: SubSequence {
    var rest = drop(while: \.isBlank)
    while let last = rest.last, last.isBlank { rest = rest.dropLast() }
    return rest
  }
}
