import SyncModel

/// The lines of a damaged log that are as they were written.
///
/// A line proves itself: its checksum begins with the file's salt. So lines are taken wherever they
/// stand, behind what was destroyed too, as long as their numbers grow.
struct LogSalvage {
  /// The lines' members, without `n`, `d` and `crc`.
  private(set) var objects: [JSONObject] = []
  /// The number of the last one; 0 where there is none.
  private(set) var number = 0

  /// Looks through a file's bytes; there is nothing to be had where its salt can't be found.
  init(_ bytes: [UInt8], kind: LogKind) {
    guard let seed = Self.seed(of: bytes, kind: kind) else { return }
    bytes.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        take(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), seed)
        start = end
      }
    }
  }

  /// Takes the line at the end of a piece of text: where a line's end was destroyed, the next line
  /// stands behind it.
  private mutating func take(_ bytes: UnsafeRawBufferPointer, _ seed: Checksum) {
    for start in LogLine.starts(in: bytes, after: number) {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      if let line = LogLine(rest, seed: seed), line.number > number,
        line.number < LogHeader.mostLines, let object = line.object
      {
        objects.append(object.withoutFrame)
        number = line.number
      }
    }
  }

  private static func seed(of bytes: [UInt8], kind: LogKind) -> Checksum? {
    let first = Array(bytes.prefix(4 << 10).prefix { $0 != 0x0A })
    if let header = try? LogHeader(parsing: first, kind: kind, place: "") { return header.seed }
    // The salt is 16 digits, whatever became of what stands around it: the lines tell whether it is
    // the one.
    let mark = Array("\"salt\":\"".utf8)
    guard let start = first.firstRange(of: mark)?.upperBound else { return nil }
    var checksum = Checksum()
    checksum.add(first[start...].prefix { $0 != UInt8(ascii: "\"") })
    return checksum
  }
}

extension JSONObject {
  /// The members without those that every line of a log has.
  fileprivate var withoutFrame: JSONObject {
    JSONObject(members.filter { !["n", "d", "crc"].contains($0.name) })
  }
}
