/// Writes the lines of a new log file, a megabyte at a time.
///
/// The file shows up whole and durable or not at all, so that each line may call the one before it
/// durable.
struct LogWriter {
  /// Where the lines written so far end.
  private(set) var position: LogPosition

  private let descriptor: Int32
  private let place: String
  private let seed: Checksum
  private var text: [UInt8]

  /// Makes a writer that begins with the header.
  init(to descriptor: Int32, header: LogHeader, place: String) {
    self.descriptor = descriptor
    self.place = place
    seed = header.seed
    text = header.text
    position = LogPosition(behind: header, of: text.count)
  }

  /// Writes a line.
  ///
  /// - Parameter members: The line's members, as compact JSON without the braces.
  /// - Returns: Where in the file the line lies.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  @discardableResult
  mutating func write(_ members: [UInt8]) throws(WorkspaceError) -> Range<Int> {
    let start = text.count
    position.checksum = LogLine.write(
      members, number: position.number + 1, durable: position.number, seed: seed, into: &text)
    let range = position.offset..<position.offset + text.count - start
    position.offset = range.upperBound
    position.number += 1
    position.durable = position.number
    if text.count >= 1 << 20 { try flush() }
    return range
  }

  /// Writes what is left to the file.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  mutating func flush() throws(WorkspaceError) {
    try FileBytes.write(text, to: descriptor, place: place)
    text.removeAll(keepingCapacity: true)
  }
}
