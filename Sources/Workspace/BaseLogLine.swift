import SyncModel

/// What one line of a base log says (decisions.md 1).
///
/// `"row":{…}` is a row that a pull brought, `"by":"push","row":{…}` one that is in effect at once,
/// `"commit":N,"query":"","token":"…"|null,"held":["…"]` brings those since the last commit into
/// effect.
enum BaseLogLine {
  /// A row's text, and whether it is in effect at once.
  case row(UnsafeRawBufferPointer, atOnce: Bool)
  /// A commit.
  case commit(number: Int, token: DeltaToken?, held: [ItemID])

  /// Reads a line's members; `nil` where they say nothing that this program knows.
  init?(_ line: LogLine) {
    if let text = Self.text(of: line.members, behind: Self.rowMark) {
      self = .row(text, atOnce: false)
    } else if let text = Self.text(of: line.members, behind: Self.pushMark) {
      self = .row(text, atOnce: true)
    } else {
      guard let object = line.object, let number = object["commit"]?.integer,
        (0..<1 << 53).contains(number),
        let token = object["token"], token.isNull || token.text != nil,
        let names = object["held"]?.elements
      else { return nil }
      let held = names.compactMap { $0.text.flatMap { try? ItemID($0) } }
      guard held.count == names.count else { return nil }
      self = .commit(number: number, token: token.text.map(DeltaToken.init), held: held)
    }
  }

  /// Returns the members of a row's line.
  static func members(_ text: some Collection<UInt8>, atOnce: Bool) -> [UInt8] {
    let mark = atOnce ? pushMark : rowMark
    var members: [UInt8] = []
    members.reserveCapacity(mark.utf8CodeUnitCount + text.count)
    members.append(
      contentsOf: UnsafeBufferPointer(
        start: mark.utf8Start, count: mark.utf8CodeUnitCount))
    members.append(contentsOf: text)
    return members
  }

  /// Returns the members of a commit's line.
  static func members(
    commit number: Int, token: DeltaToken?, held: [ItemID]
  ) -> [UInt8] {
    var object = JSONObject()
    object.append("commit", .integer(number))
    object.append("query", "")
    object.append("token", token.map { .string($0.text) } ?? .null)
    object.append("held", .array(held.sorted().map { .string($0.text) }))
    return LogLine.members(object)
  }

  private static let rowMark: StaticString = "\"row\":"
  private static let pushMark: StaticString = "\"by\":\"push\",\"row\":"

  private static func text(
    of members: UnsafeRawBufferPointer, behind mark: StaticString
  ) -> UnsafeRawBufferPointer? {
    let count = mark.utf8CodeUnitCount
    guard members.count > count,
      members.prefix(count).elementsEqual(
        UnsafeBufferPointer(start: mark.utf8Start, count: count))
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: members[count...])
  }
}
