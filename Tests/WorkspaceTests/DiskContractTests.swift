import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Workspace

@Suite struct DiskContractTests {
  @Test("A workspace keeps the promise", arguments: Promise.allCases)
  func workspace(promise: Promise) throws {
    let playground = try Playground()
    var contract = try DiskContract(playground.open())
    try contract.check(promise)
  }

  @Test("Its twin in memory keeps the promise", arguments: Promise.allCases)
  func memory(promise: Promise) throws {
    var contract = try DiskContract(MemoryDisk())
    try contract.check(promise)
  }
}

extension Workspace: TestedDisk {
  mutating func userSaves(_ text: [UInt8]?, as key: ItemKey) throws {
    let path = try path(of: key)
    guard let text else {
      unlink(path)
      return
    }
    try Self.put(text, at: path)
  }

  mutating func userEditsSide(_ item: Item, of key: ItemKey) throws {
    try Self.put(JSON.object(item.fields).encoded(), at: path(of: key, .client))
  }

  private static func put(_ text: [UInt8], at path: String) throws {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try FileBytes.write(text, to: descriptor, place: path)
  }

  func bytes(of key: ItemKey) throws -> [UInt8]? { Fixture.bytes(try path(of: key)) }

  func kept() throws -> [[UInt8]] {
    var kept: [[UInt8]] = []
    for kind in ["items", "conflicts"] {
      guard let directory = try trash.directory.existingChild(kind) else { continue }
      for table in try directory.names() {
        let place = try directory.child(table)
        for name in try place.names().sorted() {
          kept.append(Fixture.bytes("\(path)/.todosync/\(place.place(of: name))") ?? [])
        }
      }
    }
    return kept
  }

  mutating func reopen() throws {
    let (path, clock) = (path, clock)
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
