import Glibc
package import SyncEngine
package import SyncModel
import SystemPackage

// The writing of items' files, many at a time.
extension Workspace {
  /// So many texts are made safe on disk each for itself; of more, the whole file system is.
  private static let few = 64

  // All texts are staged and made safe, then they take their places. Where one can't be staged, those before
  // it take theirs all the same.
  package mutating func write(_ changes: [FileChange]) throws -> [WriteOutcome] {
    requireLock()
    var outcomes = [WriteOutcome](repeating: .changedMeanwhile, count: changes.count)
    var staged: [(place: Int, swap: Swap)] = []
    var failure: (any Error)?
    for (place, change) in changes.enumerated() where failure == nil {
      do {
        let file = try itemFile(of: change.key)
        let swap: Swap?
        (swap, outcomes[place]) = try file.writing { () throws(WorkspaceError) in
          try stage(change, file, durably: changes.count <= Self.few)
        }
        if let swap { staged.append((place, swap)) }
      } catch let error as UnwritableItem {
        outcomes[place] = .unwritable(error)
      } catch {
        failure = error
      }
    }
    if changes.count > Self.few, !staged.isEmpty {
      do throws(WorkspaceError) { try root.synchronizeAll() } catch {
        for (_, swap) in staged { swap.drop() }
        throw error
      }
    }
    for (place, swap) in staged {
      do {
        outcomes[place] = try run(swap, changes[place])
      } catch let error as UnwritableItem {
        outcomes[place] = .unwritable(error)
      } catch {
        failure = failure ?? error
      }
    }
    for table in Set(staged.map { changes[$0.place].key.table }) {
      try itemDirectory(of: table)?.synchronize()
    }
    if let failure { throw failure }
    return outcomes
  }

  /// Stages a change; where nothing is to be done, only its outcome is returned.
  private func stage(
    _ change: FileChange, _ file: ReplacedFile, durably: Bool
  ) throws(WorkspaceError) -> (Swap?, WriteOutcome) {
    var text = change.text
    var mode: mode_t = 0o600
    switch (change.expected, try file.read(limit: ItemFile.limit)) {
    case (nil, .absent):
      text = text ?? change.item.map { ItemFile.text(of: $0, id: change.key.id) }
      if text == nil { return (nil, .replaced(nil)) }
    case (let expected?, .file(let bytes, let status)) where Digest(of: bytes) == expected:
      text = text ?? change.item.map { ItemFile.rewritten(bytes, as: $0, id: change.key.id) }
      if text == bytes { return (nil, .replaced(expected)) }
      mode = status.st_mode
      // What is displaced must not be lost with its place; the row of what nobody has edited is safe.
      if durably, try !isBase(expected, of: change.key) { try file.synchronize() }
    default: return (nil, .changedMeanwhile)
    }
    return (
      try Swap(of: file, to: text, expecting: change.expected, mode: mode, durably: durably),
      .changedMeanwhile
    )
  }

  /// Whether bytes with a fingerprint are known to mean what an item's base says.
  private func isBase(_ digest: Digest, of key: ItemKey) throws(WorkspaceError) -> Bool {
    let log = try rows.log(of: key.table)
    return key.id.withBytes(log.rows.entry(of:))?.digest == digest
  }

  private mutating func run(_ swap: Swap, _ change: FileChange) throws -> WriteOutcome {
    let key = change.key
    guard case .replaced(let displaced) = try swap.file.writing(swap.run) else {
      return .changedMeanwhile
    }
    var isRow = false
    if let item = change.item, let digest = swap.digest {
      isRow = rows.wrote(key, item: item, digest: digest)
    }
    try record(
      key, from: displaced?.bytes, to: change.text ?? swap.digest.map { _ in [] }, of: change.item,
      place: displaced?.place, isRow: isRow)
    return .replaced(swap.digest)
  }

  package mutating func synchronize(_ ids: [ItemID], in table: TableName) throws {
    requireLock()
    guard let directory = try itemDirectory(of: table) else { return }
    if ids.count > Self.few {
      try root.synchronizeAll()
    } else {
      for id in ids { try itemFile(of: ItemKey(table, id)).synchronize() }
    }
    try directory.synchronize()
  }
}
