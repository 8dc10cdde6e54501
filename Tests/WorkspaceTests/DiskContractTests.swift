import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace
import WorkspaceSupport

@Suite struct DiskContractTests {
  @Test("A workspace keeps the promise", arguments: Promise.allCases)
  func workspace(promise: Promise) throws {
    let playground = try Playground()
    var contract = try DiskContract(playground.open())
    try contract.check(promise)
  }

  @Test("A workspace whose looks have settled keeps the promise", arguments: Promise.allCases)
  func settled(promise: Promise) throws {
    try Workspace.$now.withValue({ Int64(time(nil) + 3) * 1_000_000_000 }) {
      let playground = try Playground()
      playground.now = Workspace.now()
      var contract = try DiskContract(playground.open())
      try contract.check(promise)
    }
  }

  @Test("Its twin in memory keeps the promise", arguments: Promise.allCases)
  func memory(promise: Promise) throws {
    var contract = try DiskContract(MemoryDisk())
    try contract.check(promise)
  }
}

extension Workspace: TestedDisk {
  /// The time at which a workspace is opened again, in nanoseconds since 1970.
  @TaskLocal static var now: @Sendable () -> Int64 = { Playground.second * 1_000_000_000 }

  mutating func userSaves(_ text: [UInt8]?, as key: ItemKey) throws {
    let path = try path(of: key)
    TemporaryDirectory.awaitTick(of: "\(self.path)/.todosync/items/\(key.table)")
    guard let text else {
      unlinkat(AT_FDCWD, path, 0)
      return
    }
    Files.write(text, to: path)
  }

  mutating func userEditsSide(_ item: Item, of key: ItemKey) throws {
    Files.write(JSON.object(item.fields).encoded(), to: try path(of: key, .client))
  }

  func bytes(of key: ItemKey) throws -> [UInt8]? { Files.read(try path(of: key)) }

  func kept() throws -> [[UInt8]] {
    ["items", "conflicts"].flatMap { kind in
      let trash = "\(path)/.todosync/trash/\(kind)"
      return Files.names(in: trash).flatMap { table in
        Files.names(in: "\(trash)/\(table)").map { Files.read("\(trash)/\(table)/\($0)") ?? [] }
      }
    }
  }

  mutating func reopen() throws {
    let (path, clock) = (path, Self.now)
    try finish("test")
    // The last copy gives the lock back.
    self = try Workspace(at: path, for: .reading, clock: clock)
    self = try Workspace(at: path, for: .writing(command: "test", patience: 0), clock: clock)
  }
}

extension MemoryDisk: TestedDisk {
  mutating func userSaves(_ text: [UInt8]?, as key: ItemKey) { save(text, as: key) }

  mutating func userEditsSide(_ item: Item, of key: ItemKey) { editSide(item, of: key) }

  func bytes(of key: ItemKey) -> [UInt8]? { files[key]?.bytes }

  func kept() -> [[UInt8]] { trash }

  mutating func reopen() {}
}
