extension Context {
  /// Asks until the answer is one of the words or its beginning; Enter is the first word.
  ///
  /// After any other answer it runs `explain` and asks again.
  ///
  /// - Returns: The word; `nil` at the end of the input.
  func ask(
    _ question: Line, _ words: [String], explain: () -> Void = {}
  ) throws -> String? {
    while true {
      try checkSignal()
      guard let answer = try ask(question) else { return nil }
      if let word = words.first(where: { $0.hasPrefix(answer) }) { return word }
      explain()
    }
  }
}
