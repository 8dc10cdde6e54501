import Glibc

/// A directory as system calls change it, with all states in which a power loss may leave it.
///
/// What is written is on disk only after an fsync of the file, and a name only after one of its
/// directory; until then, of a file's writes the first ones may be there, the next one by half or as
/// zeros, and of a directory's names the first changes. A rename from one directory to another is
/// one step for both, as it is for every file system with a journal; but for that, directories and
/// files are independent of each other.
struct DiskModel {
  /// A change of a file's content.
  enum Write {
    case bytes([UInt8], at: Int)
    case length(Int)

    /// Carries it out on a content; with `asZeros` only the length grows.
    func apply(to content: inout [UInt8], asZeros: Bool = false, half: Bool = false) {
      switch self {
      case .length(let length):
        content = Array(content.prefix(length))
        content += [UInt8](repeating: 0, count: length - content.count)
      case .bytes(let bytes, let offset):
        let bytes = half ? Array(bytes.prefix(bytes.count / 2)) : bytes
        let end = offset + bytes.count
        if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
        content.replaceSubrange(
          offset..<end, with: asZeros ? [UInt8](repeating: 0, count: bytes.count) : bytes)
      }
    }
  }

  /// A change of names, in one step.
  struct Change {
    /// What becomes of one name; no node removes it.
    struct Entry {
      let directory: Int
      let name: String
      let node: Int?
    }

    let number: Int
    let entries: [Entry]

    func isIn(_ directory: Int) -> Bool { entries.contains { $0.directory == directory } }
  }

  /// A file: what is on disk, and what was written since.
  struct File {
    var content: [UInt8] = []
    var writes: [Write] = []
    var mode: mode_t = 0o600

    /// What may be left of it.
    var legal: [[UInt8]] {
      var found = [content]
      var whole = content
      for (index, write) in writes.enumerated() {
        var (half, zeros) = (whole, whole)
        write.apply(to: &half, half: true)
        for later in writes[index...] { later.apply(to: &zeros, asZeros: true) }
        write.apply(to: &whole)
        found += [half, zeros, whole]
      }
      var seen: Set<[UInt8]> = []
      return found.filter { seen.insert($0).inserted }
    }
  }

  /// The node of the directory itself.
  static let root = 0

  /// Its path.
  let path: String
  var files: [Int: File] = [:]
  /// The directories' names as they are on disk, and as programs see them.
  var durable: [Int: [String: Int]] = [root: [:]]
  private(set) var seen: [Int: [String: Int]] = [root: [:]]
  /// The changes of names that aren't on disk, in their order.
  private(set) var changes: [Change] = []
  private var nodes: [UInt64: Int] = [:]
  private var nextNode = 1
  private var nextChange = 1

  /// Takes a directory that is on disk as it is.
  init(_ tree: FileTree, at path: String) {
    self.path = path
    for directory in tree.directories.keys.sorted() where !directory.isEmpty {
      durable[newNode()] = [:]
      let (parent, name) = Self.split(directory)
      if let above = node(parent, in: durable) { durable[above]?[name] = nextNode - 1 }
    }
    for (place, file) in tree.files {
      let (parent, name) = Self.split(place)
      guard let above = node(parent, in: durable) else { continue }
      let new = newNode()
      files[new] = File(content: file.bytes, mode: file.mode)
      durable[above]?[name] = new
    }
    seen = durable
  }

  private mutating func newNode() -> Int {
    nextNode += 1
    return nextNode - 1
  }

  private static func split(_ path: String) -> (parent: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  private func node(_ path: String, in names: [Int: [String: Int]]) -> Int? {
    path.split(separator: "/").reduce(Self.root as Int?) { above, name in
      above.flatMap { names[$0]?[String(name)] }
    }
  }

  // MARK: Calls

  /// Returns the path below the directory; `nil` where it is elsewhere.
  private func below(_ place: String) -> String? {
    if place == path { return "" }
    guard place.hasPrefix(path + "/") else { return nil }
    return String(place.dropFirst(path.count + 1))
  }

  private func entry(_ place: String, _ node: Int?) -> Change.Entry? {
    guard let inside = below(place) else { return nil }
    let (parent, name) = Self.split(inside)
    return self.node(parent, in: seen).map { Change.Entry(directory: $0, name: name, node: node) }
  }

  private mutating func change(_ entries: [Change.Entry?]) {
    let entries = entries.compactMap(\.self)
    guard !entries.isEmpty else { return }
    for entry in entries { seen[entry.directory]?[entry.name] = entry.node }
    changes.append(Change(number: nextChange, entries: entries))
    nextChange += 1
  }

  /// Carries out a call that succeeded.
  ///
  /// - Returns: Whether the model knows it.
  mutating func apply(_ call: TracedCall) -> Bool {
    guard call.result >= 0 else { return true }
    switch call.kind {
    case .open: open(call)
    case .write:
      if let node = nodes[call.file] {
        files[node]?.writes.append(.bytes(Array(call.bytes.prefix(call.result)), at: call.offset))
      }
    case .truncate:
      if let node = nodes[call.file] { files[node]?.writes.append(.length(call.offset)) }
    case .sync, .datasync: synchronize(call)
    case .syncfs: synchronizeAll()
    case .rename: rename(call)
    case .link:
      if let old = below(call.path) { change([entry(call.target, node(old, in: seen))]) }
    case .unlink: change([entry(call.path, nil)])
    case .mkdir:
      let new = newNode()
      (durable[new], seen[new]) = ([:], [:])
      change([entry(call.path, new)])
    case .chmod, .lock, .connect, .send, .receive, .close: break
    case .other: return below(call.path) == nil
    }
    return true
  }

  private mutating func open(_ call: TracedCall) {
    guard let inside = below(call.path) else { return }
    if let old = node(inside, in: seen) {
      nodes[call.file] = old
      if call.flags & Int(O_TRUNC) != 0 { files[old]?.writes.append(.length(0)) }
    } else {
      let new = newNode()
      files[new] = File()
      nodes[call.file] = new
      change([entry(call.path, new)])
    }
  }

  private mutating func rename(_ call: TracedCall) {
    guard let old = below(call.path), let moved = node(old, in: seen) else { return }
    let isExchange = call.flags & 2 != 0
    let other = isExchange ? below(call.target).flatMap { node($0, in: seen) } : nil
    change([entry(call.path, other), entry(call.target, moved)])
  }

  // MARK: Safe on disk

  private mutating func synchronize(_ call: TracedCall) {
    if let node = nodes[call.file], files[node] != nil {
      settle(node)
    } else if let inside = below(call.path), let node = node(inside, in: seen) {
      files[node] == nil ? settle(directory: node) : settle(node)
    }
  }

  private mutating func settle(_ file: Int) {
    guard var state = files[file] else { return }
    for write in state.writes { write.apply(to: &state.content) }
    state.writes = []
    files[file] = state
  }

  /// A directory's changes, and what they come after in other directories.
  private mutating func settle(directory: Int) {
    var directories: Set<Int> = [directory]
    var chosen: Set<Int> = []
    for change in changes.reversed()
    where change.entries.contains(where: { entry in
      directories.contains(entry.directory)
    }) {
      chosen.insert(change.number)
      directories.formUnion(change.entries.map(\.directory))
    }
    carryOut(chosen)
  }

  private mutating func synchronizeAll() {
    for file in files.keys { settle(file) }
    carryOut(Set(changes.map(\.number)))
  }

  private mutating func carryOut(_ chosen: Set<Int>) {
    durable = names(with: chosen)
    changes.removeAll { chosen.contains($0.number) }
  }

  /// The names on disk, had some changes reached it, too.
  func names(with chosen: Set<Int>) -> [Int: [String: Int]] {
    var names = durable
    for change in changes where chosen.contains(change.number) {
      for entry in change.entries { names[entry.directory]?[entry.name] = entry.node }
    }
    return names
  }
}
