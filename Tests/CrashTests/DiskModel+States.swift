import Glibc
import TestSupport

extension DiskModel {
  /// The states in which a power loss at this moment may leave the directory.
  ///
  /// - Parameters:
  ///   - limit: Where there are more, so many are drawn.
  ///   - random: Draws them.
  /// - Returns: The states, and whether they are all.
  func states(
    limit: Int, _ random: inout SplitMix64
  ) -> (trees: [FileTree], isWhole: Bool) {
    let unsettled = files.filter { !$0.value.writes.isEmpty }.mapValues(\.legal)
      .sorted { $0.key < $1.key }
    let variants = unsettled.reduce(1) { $0.multipliedSaturating($1.value.count) }
    if let found = changeSets(limit: limit), found.count.multipliedSaturating(variants) <= limit {
      var contents: [[Int: [UInt8]]] = [[:]]
      for (node, legal) in unsettled {
        contents = contents.flatMap { old in
          legal.map { old.merging([node: $0]) { $1 } }
        }
      }
      let trees = found.flatMap { set in contents.map { tree(with: set, contents: $0) } }
      return (trees, true)
    }
    let trees = (0..<limit).map { _ in
      let contents = Dictionary(
        uniqueKeysWithValues: unsettled.map { ($0.key, $0.value[random.below($0.value.count)]) })
      return tree(with: randomChangeSet(&random), contents: contents)
    }
    return (trees, false)
  }

  /// The changes that may be on disk without others: none of a directory's without those before.
  private func isLegal(_ change: Change, after set: Set<Int>) -> Bool {
    changes.prefix { $0.number < change.number }.allSatisfy { earlier in
      set.contains(earlier.number)
        || !earlier.entries.contains { change.isIn($0.directory) }
    }
  }

  /// All sets of changes that may have reached the disk; `nil` where there are too many.
  private func changeSets(limit: Int) -> [Set<Int>]? {
    var found: Set<Set<Int>> = [[]]
    var front: [Set<Int>] = [[]]
    while let set = front.popLast() {
      for change in changes where !set.contains(change.number) && isLegal(change, after: set) {
        let larger = set.union([change.number])
        if found.insert(larger).inserted { front.append(larger) }
        if found.count > limit { return nil }
      }
    }
    return found.sorted { $0.sorted().lexicographicallyPrecedes($1.sorted()) }
  }

  private func randomChangeSet(_ random: inout SplitMix64) -> Set<Int> {
    var set: Set<Int> = []
    for _ in 0..<random.below(changes.count + 1) {
      let possible = changes.filter { !set.contains($0.number) && isLegal($0, after: set) }
      if let change = possible.randomElement(using: &random) { set.insert(change.number) }
    }
    return set
  }

  /// The directory with some changes of names, and with some contents.
  private func tree(with set: Set<Int>, contents: [Int: [UInt8]]) -> FileTree {
    let names = names(with: set)
    var tree = FileTree()
    func add(_ node: Int, _ path: String) {
      if let file = files[node] {
        tree.files[path] = .init(bytes: contents[node] ?? file.content, mode: file.mode)
      } else if let entries = names[node] {
        tree.directories[path] = 0o700
        for (name, child) in entries { add(child, path.isEmpty ? name : "\(path)/\(name)") }
      }
    }
    add(Self.root, "")
    return tree
  }
}

extension Int {
  fileprivate func multipliedSaturating(_ other: Int) -> Int {
    let (product, isTooLarge) = multipliedReportingOverflow(by: other)
    return isTooLarge ? .max : product
  }
}
