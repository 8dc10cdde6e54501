/// Words of a command line that a hint tells a person to type.
enum Shell {
  /// Returns a word, in quotes where a shell would take it for something else.
  static func word(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || "_-./%:,=@+".utf8.contains(byte)
    }
    if isPlain, !word.utf8.isEmpty { return word }
    let quoted = word.utf8.flatMap { byte -> [UInt8] in
      byte == UInt8(ascii: "'") ? Array(#"'\''"#.utf8) : [byte]
    }
    return "'" + String(decoding: quoted, as: UTF8.self) + "'"
  }
}
