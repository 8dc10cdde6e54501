import SyncEngine
import SyncModel
import TestSupport

/// A machine whose disk is the twin in memory: a call is whole or not at all.
final class MemoryMachine: Machine {
  private var disk = MemoryDisk()
  private var saved: MemoryDisk?

  init(number: Int) {}

  var user: MemoryDisk {
    get { disk }
    set { disk = newValue }
  }

  var call: String { "a call" }

  func run(
    step: @escaping (inout MemoryDisk) throws -> Void, _ body: (inout MemoryDisk) throws -> Void
  ) throws {
    disk.beforeStep = step
    defer { disk.beforeStep = nil }
    try body(&disk)
  }

  func meanwhile(_ body: (inout MemoryDisk) -> Void) {}

  func refusesSecondProcess() -> Bool? { nil }

  func look<Result>(_ body: (MemoryDisk) throws -> Result) throws -> Result { try body(disk) }

  func losePower(_ random: inout SplitMix64) { disk.losePower(&random) }

  var hasLostWrites: Bool { false }

  var unsafeTexts: [[UInt8]] { [] }

  var leftovers: [[UInt8]] { [] }

  var kept: [[UInt8]] {
    let servers = disk.sides.values.compactMap(\.server)
    return disk.trash + disk.sides.values.compactMap(\.client)
      + servers.map { JSON.object($0.fields).encoded() }
  }

  func findings() -> [String] { [] }

  func mend() -> [String] { [] }

  static func mend(_ work: inout Work) throws {}

  static func discard(_ key: ItemKey, on work: inout Work) throws {
    guard let bytes = work.text(of: key) else { return }
    _ = try work.write(nil, to: key, expecting: Digest(of: bytes))
  }

  func snapshot() { saved = disk }

  func rollBack() -> Bool {
    guard let saved else { return false }
    disk = saved
    return true
  }

  func loseJournal() { disk.loseJournal() }
  func loseIndex() {}
  func gitClone() { disk.gitClone() }

  var counts: [String: Int] { [:] }
}

extension MemoryDisk: Hands {
  var items: [ItemKey] { files.keys.sorted() }
  var laidSides: [ItemKey] {
    sides.filter { $0.value.client != nil || $0.value.saysDeleted }.keys.sorted()
  }
  func text(of key: ItemKey) -> [UInt8]? { files[key]?.bytes }
  func side(of key: ItemKey) -> [UInt8]? { sides[key]?.client }
  mutating func save(_ text: [UInt8]?, as key: ItemKey, _ dice: inout SplitMix64) {
    save(text, as: key)
  }
}
