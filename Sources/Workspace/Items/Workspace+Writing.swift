import CLinux
import Glibc
package import SyncEngine
package import SyncModel
import SystemPackage

/// A change of an item's file that is to be carried out.
private struct ItemWrite {
  let key: ItemKey
  /// What the file becomes; an item's text is made when its file is read.
  let content: Content
  let expected: Digest?

  enum Content {
    case nothing
    case item(Item)
    case text([UInt8])
  }

  /// The item, where the file becomes one.
  var item: Item? { if case .item(let item) = content { item } else { nil } }
}

// The writing of items' files, many at a time.
extension Workspace {
  /// So many texts are made safe on disk each for itself; of more, the whole file system is.
  private static let few = 64

  package mutating func write(_ changes: [FileChange]) throws -> [WriteOutcome] {
    try write(
      changes.map {
        ItemWrite(
          key: $0.key, content: $0.item.map { .item($0) } ?? .nothing, expected: $0.expected)
      })
  }

  /// Makes an item's file of bytes as they are, or replaces it where its bytes are what the caller has seen,
  /// as ``write(_:)`` does.
  ///
  /// `expected` is the fingerprint of what the caller has seen; `nil` where nothing was there.
  ///
  /// - Throws: ``WorkspaceError``, `UnwritableItem`.
  package mutating func write(
    text: [UInt8], to key: ItemKey, expecting expected: Digest?
  ) throws -> WriteOutcome {
    let outcome = try write([ItemWrite(key: key, content: .text(text), expected: expected)])[0]
    if case .unwritable(let error) = outcome { throw error }
    return outcome
  }

  /// Makes files of bytes as they are, where nothing is.
  ///
  /// - Returns: The items that have files now.
  /// - Throws: ``WorkspaceError``, `UnwritableItem`.
  package mutating func make(_ files: [(key: ItemKey, text: [UInt8])]) throws -> Set<ItemKey> {
    let outcomes = try write(
      files.map { ItemWrite(key: $0.key, content: .text($0.text), expected: nil) })
    for case .unwritable(let error) in outcomes { throw error }
    return Set(zip(files, outcomes).filter { $1 != .changedMeanwhile }.map(\.0.key))
  }

  /// Carries changes out: stages all texts, makes them safe, and lets them take their places.
  ///
  /// Where a text can't be staged, those before it take their places all the same.
  private mutating func write(_ writes: [ItemWrite]) throws -> [WriteOutcome] {
    requireLock()
    var outcomes = [WriteOutcome](repeating: .changedMeanwhile, count: writes.count)
    var staged: [(place: Int, swap: Swap)] = []
    var failure: (any Error)?
    for (place, write) in writes.enumerated() where failure == nil {
      do {
        let file = try itemFile(of: write.key)
        switch try file.writing({ () throws(WorkspaceError) in
          try stage(write, file, durably: writes.count <= Self.few)
        }) {
        case .swap(let swap): staged.append((place, swap))
        case .outcome(let outcome): outcomes[place] = outcome
        }
      } catch let error as UnwritableItem {
        outcomes[place] = .unwritable(error)
      } catch {
        failure = error
      }
    }
    if writes.count > Self.few, !staged.isEmpty {
      do throws(WorkspaceError) { try synchronizeAll() } catch {
        for (_, swap) in staged { swap.drop() }
        throw error
      }
    }
    // Whose directory is changed often here is looked through once more.
    let former = staged.count == 1 ? try staged[0].swap.file.directory.status() : nil
    for (place, swap) in staged {
      do {
        outcomes[place] = try run(swap, writes[place])
      } catch let error as UnwritableItem {
        outcomes[place] = .unwritable(error)
      } catch {
        failure = failure ?? error
      }
    }
    for table in Set(staged.map { writes[$0.place].key.table }) {
      guard let directory = try itemDirectory(of: table) else { continue }
      rows.changed(table, directory, from: former)
      try directory.synchronize()
    }
    if let failure { throw failure }
    return outcomes
  }

  private enum Staged {
    case swap(Swap)
    /// Nothing is to be done.
    case outcome(WriteOutcome)
  }

  private func stage(
    _ write: ItemWrite, _ file: ReplacedFile, durably: Bool
  ) throws(WorkspaceError) -> Staged {
    var text: [UInt8]?
    var mode: mode_t = 0o600
    let reading = write.expected == nil ? nil : try file.read(limit: ItemFile.limit)
    switch (write.content, reading) {
    case (.nothing, nil):
      guard case .absent = try file.read(limit: 0) else { return .outcome(.changedMeanwhile) }
      return .outcome(.replaced(nil))
    case (.nothing, _): break
    case (.item(let item), nil): text = ItemFile.text(of: item, id: write.key.id)
    case (.item(let item), .file(let bytes, let status)):
      guard Digest(of: bytes) == write.expected else { return .outcome(.changedMeanwhile) }
      let new = ItemFile.rewritten(bytes, as: item, id: write.key.id)
      if new == bytes { return .outcome(.replaced(write.expected)) }
      (text, mode) = (new, status.st_mode)
    case (.text(let new), .file(_, let status)): (text, mode) = (new, status.st_mode)
    case (.text(let new), nil): text = new
    default: return .outcome(.changedMeanwhile)
    }
    // What is displaced must not be lost with its place; the row of what nobody has edited is safe.
    if durably, let expected = write.expected, try !isBase(expected, of: write.key) {
      try file.synchronize()
    }
    return .swap(
      try Swap(of: file, to: text, expecting: write.expected, mode: mode, durably: durably))
  }

  /// Whether bytes with a fingerprint are known to mean what an item's base says.
  private func isBase(_ digest: Digest, of key: ItemKey) throws(WorkspaceError) -> Bool {
    let log = try rows.log(of: key.table)
    return key.id.withBytes(log.rows.entry(of:))?.digest == digest
  }

  private mutating func run(_ swap: Swap, _ write: ItemWrite) throws -> WriteOutcome {
    let (file, key) = (swap.file, write.key)
    guard case .replaced(let displaced) = try file.writing(swap.run) else {
      return .changedMeanwhile
    }
    let isRow =
      swap.digest.map { digest in
        write.item.map { rows.wrote(key, item: $0, digest: digest) } ?? false
      } ?? false
    var text: [UInt8]? = swap.digest == nil ? nil : []
    if case .text(let new) = write.content { text = new }
    try record(
      key, from: displaced?.bytes, to: text, of: write.item, place: displaced?.place, isRow: isRow)
    return .replaced(swap.digest)
  }

  package mutating func synchronize(_ ids: [ItemID], in table: TableName) throws {
    requireLock()
    guard let directory = try itemDirectory(of: table) else { return }
    if ids.count > Self.few {
      try synchronizeAll()
    } else {
      for id in ids { try itemFile(of: ItemKey(table, id)).synchronize() }
    }
    try directory.synchronize()
  }

  /// Makes everything that was written on the workspace's file system survive a power loss.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func synchronizeAll() throws(WorkspaceError) {
    let descriptor = root.descriptor.rawValue
    try WorkspaceError.checking(".") { tsync_syncfs(descriptor) }
  }
}
