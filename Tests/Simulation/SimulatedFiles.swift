import Glibc
import SimulatedCalls
package import SyncModel
package import TestSupport

/// A file system in memory that can lose its power.
///
/// What is written to a file is durable after it was synchronised, a name after its directory was. A
/// change of names is atomic, also where it touches two directories; of those that are not durable, a
/// power loss keeps in each directory the first so many. A file that was not synchronised may come
/// back as it was, whole, cut off anywhere, or with zeros where it was not written.
package final class SimulatedFiles {
  /// A file or a directory.
  final class Node {
    let number: UInt64
    let isDirectory: Bool
    var mode: mode_t
    var modified: Int64 = 0
    var changed: Int64 = 0
    var bytes: [UInt8] = []
    var durable: [UInt8] = [] {
      didSet { untouched = durable.count }
    }
    /// How many bytes from the start are as they were made durable, neither cut off nor written since.
    var untouched = 0
    /// Whether a failed synchronisation has lost what was written.
    var isLost = false
    var entries: [String: Node] = [:]
    var durableEntries: [String: Node] = [:]
    /// The descriptor that holds the lock.
    var holder: Int32?

    init(_ number: UInt64, isDirectory: Bool, mode: mode_t) {
      self.number = number
      self.isDirectory = isDirectory
      self.mode = mode
    }
  }

  /// A change of names that is not durable yet: what stands by which name of which directory.
  private struct Change {
    let names: [(directory: Node, name: String, node: Node?)]
  }

  /// An open file.
  private struct Open {
    let node: Node
    var offset = 0
    var appends = false
  }

  /// The uppermost directory.
  private(set) var root = Node(1, isDirectory: true, mode: 0o700)
  /// Called ahead of each call that changes something; what it throws makes the call fail, and
  /// ``Killed`` makes all calls fail from then on.
  package var beforeStep: (() throws -> Void)?
  /// The time, in nanoseconds since 1970.
  package private(set) var now: Int64 = 1_700_000_000_000_000_000
  /// How often the power was lost.
  private var losses = 0
  /// The kernel's name for the time since the machine was started.
  package var boot: Text { Text("\(losses)") }
  /// Whether renameat2(2) takes flags here, as it doesn't on NFS.
  package var swapsNames = true
  /// Whether the program was killed: nothing that it calls has an effect any more.
  var isDead = false

  /// What users have saved without synchronising it, since everything was synchronised.
  private(set) var unsafeTexts: [[UInt8]] = []

  private var changes: [Change] = []
  private var open: [Int32: Open] = [:]
  private var nextDescriptor: Int32 = 0x4000_0000
  private var nextNumber: UInt64 = 2

  /// Makes an empty one.
  package init() {}

  /// Lets time pass, in nanoseconds.
  func wait(_ time: Int64) { now += time }

  private func stamp() -> Int64 {
    now += 1_000
    return now / 4_000_000 * 4_000_000
  }

  // MARK: - Steps

  /// The name of the last call that changes something.
  package private(set) var call = ""

  /// Runs a call that changes something; returns its result, or the error's number below zero.
  private func step(_ name: String = #function, _ body: () -> Int) -> Int {
    if isDead { return -Int(EIO) }
    call = String(name.prefix { $0 != "(" })
    if let hook = beforeStep {
      beforeStep = nil
      defer { beforeStep = hook }
      do {
        try hook()
      } catch let refused as Refused {
        return -Int(refused.number)
      } catch {
        isDead = true
        return -Int(EIO)
      }
    }
    return body()
  }

  // MARK: - Names

  /// Returns what a path names, from a directory given by its descriptor, or from the top.
  func node(_ directory: Int32, _ path: String) -> Node? {
    node(directory, Self.names(in: path)[...])
  }

  private func node(_ directory: Int32, _ names: ArraySlice<String>) -> Node? {
    var node = directory < 0 ? root : open[directory]?.node
    for name in names where name != "." { node = node?.entries[name] }
    return node
  }

  private func parent(_ directory: Int32, _ path: String) -> (Node, String)? {
    let names = Self.names(in: path)
    guard let last = names.last, let parent = node(directory, names.dropLast()), parent.isDirectory
    else { return nil }
    return (parent, last)
  }

  /// The names of a path, cut at the byte `/`: no call of a simulated run does without.
  private static func names(in path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).compactMap { String($0) }
  }

  private func change(_ names: [(directory: Node, name: String, node: Node?)]) {
    for (directory, name, node) in names {
      directory.entries[name] = node
      directory.modified = stamp()
      directory.changed = directory.modified
      node?.changed = directory.modified
    }
    changes.append(Change(names: names))
  }

  private func make(isDirectory: Bool, mode: mode_t) -> Node {
    nextNumber += 1
    let node = Node(nextNumber, isDirectory: isDirectory, mode: mode)
    node.modified = stamp()
    node.changed = node.modified
    return node
  }

  // MARK: - Calls

  func open(_ directory: Int32, _ path: String, _ flags: Int32, _ mode: mode_t) -> Int {
    if let node = node(directory, path) {
      if flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL { return -Int(EEXIST) }
      if flags & O_DIRECTORY != 0, !node.isDirectory { return -Int(ENOTDIR) }
      if node.isDirectory, flags & O_ACCMODE != O_RDONLY { return -Int(EISDIR) }
      if flags & O_TRUNC != 0 {
        return step {
          write([], to: node)
          return descriptor(node, flags)
        }
      }
      return descriptor(node, flags)
    }
    guard flags & O_CREAT != 0 else { return -Int(ENOENT) }
    return step {
      guard let (parent, name) = parent(directory, path) else { return -Int(ENOENT) }
      let node = make(isDirectory: false, mode: mode)
      change([(parent, name, node)])
      return descriptor(node, flags)
    }
  }

  private func descriptor(_ node: Node, _ flags: Int32) -> Int {
    nextDescriptor += 1
    open[nextDescriptor] = Open(node: node, appends: flags & O_APPEND != 0)
    return Int(nextDescriptor)
  }

  func close(_ descriptor: Int32) -> Int {
    guard let open = open.removeValue(forKey: descriptor) else { return -Int(EBADF) }
    if open.node.holder == descriptor { open.node.holder = nil }
    return 0
  }

  func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    guard let file = open[descriptor] else { return -Int(EBADF) }
    let start = offset < 0 ? file.offset : offset
    let bytes = file.node.bytes
    guard start < bytes.count else { return 0 }
    let count = min(buffer.count, bytes.count - start)
    bytes.withUnsafeBytes { all in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start..<start + count]))
    }
    if offset < 0 { open[descriptor]?.offset += count }
    return count
  }

  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let file = open[descriptor] else { return -Int(EBADF) }
    let node = file.node
    let result = step {
      put(bytes, node, file)
      open[descriptor]?.offset = (file.appends ? node.bytes.count : file.offset + bytes.count)
      return bytes.count
    }
    // A program that is killed may have written a part.
    if result < 0, isDead, !bytes.isEmpty, tearsNext {
      tearsNext = false
      put(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), node, file)
    }
    return result
  }

  /// Whether the write that a program is killed in is done by half.
  package var tearsNext = false

  private func put(_ bytes: UnsafeRawBufferPointer, _ node: Node, _ file: Open) {
    let start = file.appends ? node.bytes.count : file.offset
    if node.bytes.count < start {
      node.bytes += [UInt8](repeating: 0, count: start - node.bytes.count)
    }
    let end = min(node.bytes.count, start + bytes.count)
    node.untouched = min(node.untouched, start)
    node.bytes.replaceSubrange(start..<end, with: bytes)
    node.modified = stamp()
    node.changed = node.modified
  }

  func seek(_ descriptor: Int32, _ offset: Int, _ whence: Int32) -> Int {
    guard let file = open[descriptor] else { return -Int(EBADF) }
    let target =
      whence == SEEK_SET
      ? offset : offset + (whence == SEEK_END ? file.node.bytes.count : file.offset)
    open[descriptor]?.offset = target
    return target
  }

  func truncate(_ descriptor: Int32, _ size: Int) -> Int {
    guard let node = open[descriptor]?.node else { return -Int(EBADF) }
    return step {
      node.untouched = min(node.untouched, size)
      if size < node.bytes.count {
        node.bytes.removeSubrange(size...)
      } else {
        node.bytes += [UInt8](repeating: 0, count: size - node.bytes.count)
      }
      node.modified = stamp()
      node.changed = node.modified
      return 0
    }
  }

  func status(_ descriptor: Int32, _ path: String?, _ status: inout stat) -> Int {
    let found = path.map { node(descriptor, $0) } ?? open[descriptor]?.node
    guard let node = found else { return -Int(ENOENT) }
    status = stat()
    status.st_dev = 77
    status.st_ino = ino_t(node.number)
    status.st_mode = node.mode | (node.isDirectory ? S_IFDIR : S_IFREG)
    status.st_nlink = 1
    status.st_uid = geteuid()
    status.st_size = off_t(node.bytes.count)
    status.st_mtim = Self.time(node.modified)
    status.st_ctim = Self.time(node.changed)
    return 0
  }

  private static func time(_ nanoseconds: Int64) -> timespec {
    timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }

  func setMode(_ descriptor: Int32, _ mode: mode_t) -> Int {
    guard let node = open[descriptor]?.node else { return -Int(EBADF) }
    return step {
      node.mode = mode & 0o7777
      return 0
    }
  }

  func synchronize(_ descriptor: Int32) -> Int {
    guard let node = open[descriptor]?.node else { return -Int(EBADF) }
    let result = step {
      if node.isDirectory {
        synchronizeNames(of: node)
      } else if !node.isLost {
        node.durable = node.bytes
      }
      return 0
    }
    // What could not be written out is called clean from now on.
    if result < 0, !isDead, !node.isDirectory { node.isLost = true }
    return result
  }

  func synchronizeAll() -> Int {
    step {
      for change in changes { Self.keep(change) }
      changes = []
      forEach(root) { if !$0.isLost { $0.durable = $0.bytes } }
      unsafeTexts = []
      return 0
    }
  }

  /// Makes the names in a directory durable, and what they depend on.
  private func synchronizeNames(of directory: Node) {
    var wanted: Set<ObjectIdentifier> = [ObjectIdentifier(directory)]
    var kept: [Int] = []
    for (index, change) in changes.enumerated().reversed()
    where change.names.contains(where: { wanted.contains(ObjectIdentifier($0.directory)) }) {
      wanted.formUnion(change.names.map { ObjectIdentifier($0.directory) })
      kept.append(index)
    }
    for index in kept.reversed() { Self.keep(changes[index]) }
    for index in kept { changes.remove(at: index) }
  }

  private static func keep(_ change: Change) {
    for (directory, name, node) in change.names { directory.durableEntries[name] = node }
  }

  func entries(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let file = open[descriptor], file.node.isDirectory else { return -Int(ENOTDIR) }
    let names = file.node.entries.keys.sorted()
    var fill = 0
    var index = file.offset
    while index < names.count {
      let name = Array(names[index].utf8) + [0]
      let length = (19 + name.count + 7) & ~7
      guard fill + length <= buffer.count else { break }
      let entry = UnsafeMutableRawBufferPointer(rebasing: buffer[fill..<fill + length])
      for index in entry.indices { entry[index] = 0 }
      entry.storeBytes(of: file.node.entries[names[index]]?.number ?? 0, as: UInt64.self)
      entry.storeBytes(of: UInt16(length), toByteOffset: 16, as: UInt16.self)
      UnsafeMutableRawBufferPointer(rebasing: entry[19...]).copyBytes(from: name)
      fill += length
      index += 1
    }
    open[descriptor]?.offset = index
    return fill
  }

  func makeDirectory(_ directory: Int32, _ path: String, _ mode: mode_t) -> Int {
    if node(directory, path) != nil { return -Int(EEXIST) }
    return step {
      guard let (parent, name) = parent(directory, path) else { return -Int(ENOENT) }
      change([(parent, name, make(isDirectory: true, mode: mode))])
      return 0
    }
  }

  func remove(_ directory: Int32, _ path: String, _ flags: Int32 = 0) -> Int {
    guard let there = node(directory, path) else { return -Int(ENOENT) }
    if flags & AT_REMOVEDIR == 0 {
      if there.isDirectory { return -Int(EISDIR) }
    } else {
      if !there.isDirectory { return -Int(ENOTDIR) }
      if !there.entries.isEmpty { return -Int(ENOTEMPTY) }
    }
    return step {
      guard let (parent, name) = parent(directory, path), parent.entries[name] != nil else {
        return -Int(ENOENT)
      }
      change([(parent, name, nil)])
      return 0
    }
  }

  func link(_ from: Int32, _ old: String, _ to: Int32, _ new: String) -> Int {
    step {
      guard let node = node(from, old), let (target, name) = parent(to, new) else {
        return -Int(ENOENT)
      }
      if node.isDirectory { return -Int(EPERM) }
      if target.entries[name] != nil { return -Int(EEXIST) }
      change([(target, name, node)])
      return 0
    }
  }

  func rename(_ from: Int32, _ old: String, _ to: Int32, _ new: String, _ flags: UInt32) -> Int {
    if flags != 0, !swapsNames { return -Int(EINVAL) }
    return step {
      guard let (source, oldName) = parent(from, old), let (target, newName) = parent(to, new),
        let node = source.entries[oldName]
      else { return -Int(ENOENT) }
      let there = target.entries[newName]
      switch flags {
      case 1 where there != nil: return -Int(EEXIST)
      case 2:
        guard let there else { return -Int(ENOENT) }
        change([(source, oldName, there), (target, newName, node)])
      default:
        if let there, let error = Self.refusal(of: there, toBe: node) { return -Int(error) }
        change([(source, oldName, nil), (target, newName, node)])
      }
      return 0
    }
  }

  /// The error with which Linux refuses to put a node in the place of another one.
  private static func refusal(of there: Node, toBe node: Node) -> Int32? {
    if !node.isDirectory { return there.isDirectory ? EISDIR : nil }
    return there.isDirectory ? there.entries.isEmpty ? nil : ENOTEMPTY : ENOTDIR
  }

  func lock(_ descriptor: Int32, _ operation: Int32) -> Int {
    guard let node = open[descriptor]?.node else { return -Int(EBADF) }
    guard operation & LOCK_UN == 0 else {
      if node.holder == descriptor { node.holder = nil }
      return 0
    }
    if let holder = node.holder, holder != descriptor { return -Int(EWOULDBLOCK) }
    node.holder = descriptor
    return 0
  }

  // MARK: - The user

  /// Returns the files below a directory, by their paths.
  package func texts(below path: String) -> [(path: String, bytes: [UInt8])] {
    guard let start = node(-1, path) else { return [] }
    var found: [(String, [UInt8])] = []
    func walk(_ node: Node, _ path: String) {
      for (name, entry) in node.entries.sorted(by: { $0.key < $1.key }) {
        if entry.isDirectory {
          walk(entry, "\(path)/\(name)")
        } else {
          found.append(("\(path)/\(name)", entry.bytes))
        }
      }
    }
    walk(start, path)
    return found
  }

  /// Saves a file, as an editor does.
  ///
  /// `nil` removes it. With `inPlace` the same file is written again, otherwise a new one takes its
  /// place. Not every editor synchronises what it saves.
  package func save(_ bytes: [UInt8]?, _ path: String, inPlace: Bool, isSynchronised: Bool = true) {
    guard let (parent, name) = parent(-1, path) else { return }
    if !isSynchronised, let bytes { unsafeTexts.append(bytes) }
    if let bytes {
      if inPlace, let node = parent.entries[name] {
        write(bytes, to: node)
        if isSynchronised { node.durable = bytes }
      } else {
        let node = make(isDirectory: false, mode: 0o600)
        (node.bytes, node.durable) = (bytes, isSynchronised ? bytes : [])
        change([(parent, name, node)])
      }
    } else {
      change([(parent, name, nil)])
    }
    if isSynchronised { synchronizeNames(of: parent) }
  }

  private func write(_ bytes: [UInt8], to node: Node) {
    node.bytes = bytes
    node.untouched = 0
    node.isLost = false
    node.modified = stamp()
    node.changed = node.modified
  }

  // MARK: - The machine

  /// Takes the calls of a body run on this thread.
  package func mounted<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = tsync_mount(Unmanaged.passUnretained(self).toOpaque())
    defer { _ = tsync_mount(before) }
    return try body()
  }

  /// Ends the process that was killed: its descriptors are closed, its locks are free.
  package func endProcess() {
    for file in open.values { file.node.holder = nil }
    open = [:]
    isDead = false
    tearsNext = false
  }

  /// Whether a file is shown otherwise than the disk has it, because its synchronisation failed.
  var hasLostWrites: Bool {
    var isFound = false
    forEach(root) { if $0.isLost { isFound = true } }
    return isFound
  }

  /// Takes back what a power loss may take back, as chance has it.
  package func losePower(_ random: inout SplitMix64) {
    endProcess()
    // Everything is lost, nothing is, or chance has it for each.
    let manner = random.below(4)
    var cut: Set<ObjectIdentifier> = []
    for change in changes {
      let directories = change.names.map { ObjectIdentifier($0.directory) }
      let isLost = manner == 0 || manner > 1 && random.once(in: 4)
      if isLost || !cut.isDisjoint(with: directories) {
        cut.formUnion(directories)
      } else {
        Self.keep(change)
      }
    }
    changes = []
    var nodes: [Node] = []
    func walk(_ node: Node) {
      node.entries = node.durableEntries
      for (_, entry) in node.entries.sorted(by: { $0.key < $1.key }) {
        nodes.append(entry)
        if entry.isDirectory { walk(entry) }
      }
    }
    walk(root)
    for node in nodes where !node.isDirectory {
      if node.bytes != node.durable {
        node.bytes = Self.left(of: node, manner, &random)
        node.durable = node.bytes
      }
      node.isLost = false
    }
    unsafeTexts = []
    now += 60_000_000_000
    losses += 1
  }

  /// What a power loss leaves of a file that was not synchronised.
  private static func left(
    of node: Node, _ manner: Int, _ random: inout SplitMix64
  ) -> [UInt8] {
    switch manner == 0 ? 0 : random.below(4) {
    case 0: return node.durable
    case 1 where !node.isLost: return node.bytes
    default:
      // What is cut off comes back whole; what was truncated and written anew comes back in part.
      guard !node.isLost, !node.durable.starts(with: node.bytes) else { return node.durable }
      let safe = min(node.untouched, node.bytes.count)
      let written = random.below(node.bytes.count - safe + 1) + safe
      let zeros = random.once(in: 2) ? node.bytes.count - written : 0
      return node.bytes.prefix(written) + [UInt8](repeating: 0, count: zeros)
    }
  }

  private func forEach(_ node: Node, _ body: (Node) -> Void) {
    for entry in node.entries.values {
      if entry.isDirectory { forEach(entry, body) } else { body(entry) }
    }
  }

  // MARK: - Copies

  /// Returns a copy of everything, as durable as it can be.
  func copy() -> SimulatedFiles {
    let files = SimulatedFiles()
    files.swapsNames = swapsNames
    (files.now, files.losses, files.nextNumber) = (now, losses, nextNumber)
    func copy(_ node: Node) -> Node {
      let new = Node(node.number, isDirectory: node.isDirectory, mode: node.mode)
      (new.modified, new.changed) = (node.modified, node.changed)
      (new.bytes, new.durable) = (node.bytes, node.bytes)
      new.entries = node.entries.mapValues(copy)
      new.durableEntries = new.entries
      return new
    }
    files.root = copy(root)
    return files
  }
}
