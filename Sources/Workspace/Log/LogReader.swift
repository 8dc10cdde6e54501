import Glibc
import SystemPackage

/// A place in a log that is known to end a line.
struct LogPosition: Equatable {
  /// How many bytes of the file lie before it.
  var offset: Int
  /// The number of the line that ends there.
  var number: Int
  /// The number of the last line known to be durable.
  var durable: Int
  /// The checksum of the line that ends there.
  var checksum: UInt32
}

extension LogPosition {
  /// The place behind a header of so many bytes, where no line is yet.
  init(behind header: LogHeader, of length: Int) {
    self.init(offset: length, number: header.number, durable: header.number, checksum: 0)
  }
}

/// Reads the lines of a log in order, and finds its valid end.
///
/// Lines are read through a buffer, not mapped: whoever holds the lock may cut the file.
struct LogReader {
  /// Where the valid lines end, so far.
  private(set) var position: LogPosition
  /// How many bytes lie behind the valid lines.
  private(set) var tail = 0

  private let descriptor: Int32
  private let place: String
  private let seed: Checksum
  private let startsAtHeader: Bool
  /// How many lines of the file were met, the header among them.
  private var line = 1
  /// The line that is not as it was written.
  private var badLine: Int?

  /// Makes a reader that begins at a position.
  init(_ descriptor: Int32, place: String, header: LogHeader, from start: LogPosition) {
    self.descriptor = descriptor
    self.place = place
    seed = header.seed
    position = start
    startsAtHeader = start.number == header.number
  }

  /// Makes sure that a log has all its lines from a position to another one.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)`` with `.ioError` where it hasn't.
  static func check(
    _ descriptor: Int32, place: String, header: LogHeader, from start: LogPosition,
    to end: LogPosition
  ) throws(WorkspaceError) {
    var reader = Self(descriptor, place: place, header: header, from: start)
    try reader.read { _ in }
    guard reader.position.number == end.number, reader.tail == 0 else {
      throw .file(place: place, .ioError)
    }
  }

  /// Reads to the end of the file.
  ///
  /// - Parameter each: Takes every valid line.
  /// - Throws: ``WorkspaceError/damaged`` where a line is bad that a later line knows as durable;
  ///   what `each` throws.
  mutating func read(
    _ each: (LogLine) throws(WorkspaceError) -> Void
  ) throws(WorkspaceError) {
    var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { buffer.deallocate() }
    var fill = 0
    var offset = position.offset
    while true {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[fill...])
      let count = try FileBytes.read(rest, from: descriptor, at: offset + fill, place: place)
      guard count > 0 else { break }
      fill += count
      let used = try takeLines(UnsafeRawBufferPointer(rebasing: buffer[..<fill]), at: offset, each)
      fill -= used
      offset += used
      if used > 0 {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[used..<(used + fill)]))
      } else if fill == buffer.count {
        let larger = UnsafeMutableRawBufferPointer.allocate(
          byteCount: 2 * buffer.count, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
        buffer.deallocate()
        buffer = larger
      }
    }
    tail = offset + fill - position.offset
  }

  /// Takes every whole line of a piece of the file; returns how many bytes they have.
  private mutating func takeLines(
    _ bytes: UnsafeRawBufferPointer, at offset: Int,
    _ each: (LogLine) throws(WorkspaceError) -> Void
  ) throws(WorkspaceError) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var start = 0
    while let end = memchr(base + start, 0x0A, bytes.count - start) {
      let next = UnsafeRawPointer(end) - base + 1
      line += 1
      try take(UnsafeRawBufferPointer(rebasing: bytes[start..<next]), at: offset + start, each)
      start = next
    }
    return start
  }

  private mutating func take(
    _ bytes: UnsafeRawBufferPointer, at offset: Int,
    _ each: (LogLine) throws(WorkspaceError) -> Void
  ) throws(WorkspaceError) {
    if badLine == nil, var found = LogLine(bytes, seed: seed),
      found.number == position.number + 1, found.durable < found.number
    {
      found.offset = offset
      try each(found)
      position = LogPosition(
        offset: offset + bytes.count, number: found.number, durable: found.durable,
        checksum: found.checksum)
      return
    }
    let first = badLine ?? line
    badLine = first
    guard vouchesForMore(bytes) else { return }
    throw .damaged(
      place: place, line: startsAtHeader ? first : nil,
      fact: "a line is not valid, but later lines say that it was safe on disk")
  }

  /// Whether bytes behind the first bad line are a line that calls it durable.
  ///
  /// Where it was the line end that went bad, the line that knows of it stands behind it on the same
  /// line of text.
  private func vouchesForMore(_ bytes: UnsafeRawBufferPointer) -> Bool {
    LogLine.starts(in: bytes, after: position.number).contains { start in
      let line = LogLine(UnsafeRawBufferPointer(rebasing: bytes[start...]), seed: seed)
      return line.map { $0.durable > position.number } ?? false
    }
  }
}
