/// Tells whether a program printed what its page shows.
///
/// A line `...` of the page stands for any lines. Durations (`0.1 s`) and ages (`4 min ago`,
/// `just now`) are different each time and count as the same.
enum Comparison {
  static func matches(_ printed: [String], _ expected: [String]) -> Bool {
    matches(printed.map(Self.steady)[...], expected.map(Self.steady)[...])
  }

  private static func matches(
    _ printed: ArraySlice<[UInt8]>, _ expected: ArraySlice<[UInt8]>
  ) -> Bool {
    guard let line = expected.first else { return printed.isEmpty }
    if line.elementsEqual("...".utf8) {
      return (printed.startIndex...printed.endIndex).contains {
        matches(printed[$0...], expected.dropFirst())
      }
    }
    return printed.first == line && matches(printed.dropFirst(), expected.dropFirst())
  }

  /// Returns a line's bytes with one text for all durations, one for all ages, and one for all times of
  /// day.
  private static func steady(_ line: String) -> [UInt8] {
    Array(
      line.replacing(#/[0-9]+\.[0-9] s\b/#, with: "0.0 s")
        .replacing(#/[0-9]+ (s|min|h|d) ago|just now/#, with: "just now")
        .replacing(#/\b[0-9]{2}:[0-9]{2}\b/#, with: "00:00")
        .replacing(#/[0-9]{8}T[0-9]{6}Z/#, with: "00000000T000000Z").utf8)
  }

  /// Returns the difference as text: `-` before what the page shows, `+` before what was printed.
  static func difference(_ printed: [String], _ expected: [String]) -> String {
    let same = zip(printed, expected).prefix { matches([$0], [$1]) }.count
    return
      (expected.prefix(same).map { "  \($0)" } + expected.dropFirst(same).map { "- \($0)" }
      + printed.dropFirst(same).map { "+ \($0)" }).joined(separator: "\n")
  }
}
