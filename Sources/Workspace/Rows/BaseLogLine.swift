import SyncModel

/// What one line of a base log says.
///
/// `"row":{…}` is a row that a pull brought, `"by":"push","row":{…}` one that is in effect at once;
/// `"former":"…"` ahead of the row is the version that it replaces.
/// `"commit":N,"query":"","token":"…"|null,"held":["…"]` brings those since the last commit into
/// effect.
enum BaseLogLine {
  /// A row's text, whether it is in effect at once, and as JSON the version that it replaces.
  case row(UnsafeRawBufferPointer, atOnce: Bool, former: UnsafeRawBufferPointer?)
  /// A commit.
  case commit(number: Int, token: DeltaToken?, held: [ItemID])

  /// Reads a line's members; `nil` where they say nothing that this program knows.
  init?(_ line: LogLine) {
    let pushed = Self.text(of: line.members, behind: Self.pushMark)
    var rest = pushed ?? line.members
    var former: UnsafeRawBufferPointer?
    // No quote stands in a string as it is, so that the first end is the end.
    if let text = Self.text(of: rest, behind: Self.formerMark),
      let end = text.firstRange(of: Self.formerEnd)?.lowerBound
    {
      former = UnsafeRawBufferPointer(rebasing: text[...end])
      rest = UnsafeRawBufferPointer(rebasing: text[(end + 2)...])
    }
    if let text = Self.text(of: rest, behind: Self.rowMark) {
      self = .row(text, atOnce: pushed != nil, former: former)
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
  static func members(
    _ text: some Collection<UInt8>, atOnce: Bool, former: (some Collection<UInt8>)?
  ) -> [UInt8] {
    var members: [UInt8] = []
    members.reserveCapacity(text.count + 64)
    if atOnce { members += pushMark }
    if let former { members += formerMark + former + [UInt8(ascii: ",")] }
    members += rowMark
    members += text
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

  private static let rowMark = Array(#""row":"#.utf8)
  private static let pushMark = Array(#""by":"push","#.utf8)
  private static let formerMark = Array(#""former":"#.utf8)
  private static let formerEnd = Array(#"","row":"#.utf8)

  private static func text(
    of members: UnsafeRawBufferPointer, behind mark: [UInt8]
  ) -> UnsafeRawBufferPointer? {
    guard members.count > mark.count, members.starts(with: mark) else { return nil }
    return UnsafeRawBufferPointer(rebasing: members[mark.count...])
  }
}
