@testable import SyncModel
@testable import Workspace

/// What a table's log says, by the rules of tsync-log-format(5) and without places or checksums.
struct BaseLogTwin: Equatable {
  /// A row that is not in effect.
  struct Waiting: Equatable {
    let row: Row
    var isHeld: Bool
  }

  private var rows: [ItemID: Row] = [:]
  private var waiting: [ItemID: Waiting] = [:]
  private var token: DeltaToken?

  /// Makes the twin of an empty log.
  init() {}

  /// Asks a log for all that it knows.
  init(_ log: BaseLog) throws(Finding) {
    token = log.rows.token
    var ids: [ItemID] = []
    log.rows.forEach { id, _ in if let id = ItemID(id) { ids.append(id) } }
    do throws(WorkspaceError) {
      for id in ids { rows[id] = try log.base(of: id).row }
      let open = Set(log.rows.uncommitted)
      for row in try log.incomingRows() {
        waiting[row.id] = Waiting(row: row, isHeld: !open.contains(row.id))
      }
    } catch {
      throw Finding(description: "a row can't be read: \(error)")
    }
    let live = ids.filter { rows[$0]?.deleted == false }
    try ensure(log.rows.liveIDs.sorted() == live.sorted(), "other live rows")
    try ensure(log.rows.liveCount == live.count, "\(log.rows.liveCount) live rows")
  }

  /// Takes a line's members; answers whether they are a row or a commit.
  mutating func take(_ line: [UInt8]) -> Bool {
    if let (row, atOnce) = Self.row(in: line) {
      if atOnce {
        rows[row.id] = row
        waiting[row.id] = nil
      } else {
        waiting[row.id] = Waiting(row: row, isHeld: false)
      }
      return true
    }
    let text = [UInt8(ascii: "{")] + line + [UInt8(ascii: "}")]
    guard let object = (try? JSON(parsing: text))?.object,
      let number = object["commit"]?.integer, (0..<1 << 53).contains(number),
      let token = object["token"], token.isNull || token.text != nil,
      let names = object["held"]?.elements
    else { return false }
    let held = names.compactMap { $0.text.flatMap { try? ItemID($0) } }
    guard held.count == names.count else { return false }
    // A line may also begin as a row does, and then be none.
    guard Self.marks.allSatisfy({ !line.starts(with: $0.utf8) }) else { return false }
    commit(token.text.map(DeltaToken.init), held: Set(held))
    return true
  }

  /// Brings the rows that wait into effect, but for those held back.
  mutating func commit(_ token: DeltaToken?, held: Set<ItemID>) {
    self.token = token ?? self.token
    for (id, entry) in waiting where !entry.isHeld {
      if held.contains(id) {
        waiting[id]?.isHeld = true
      } else {
        rows[id] = entry.row
        waiting[id] = nil
      }
    }
  }

  private static let marks = [#""row":"#, #""by":"push","row":"#]

  /// Returns the row of a line, and whether it is in effect at once.
  static func row(in line: [UInt8]) -> (row: Row, atOnce: Bool)? {
    for (index, mark) in marks.enumerated() where line.starts(with: mark.utf8) {
      let text = Array(line.dropFirst(mark.utf8.count))
      guard let object = (try? JSON(parsing: text))?.object,
        let row = try? Row(object, text: text)
      else { return nil }
      return (row, index == 1)
    }
    return nil
  }
}
