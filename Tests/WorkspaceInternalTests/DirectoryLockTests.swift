import Foundation
import Glibc
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite struct DirectoryLockTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  private func root() throws -> Directory {
    try Directory(path: playground.directory.path(of: ".todosync"), place: "")
  }

  private func lock() throws -> DirectoryLock {
    try DirectoryLock("lock", in: root(), patience: 0, command: "push", now: playground.now)
  }

  @Test(
    "The lock is given back although a child that is being started has a copy of its descriptor")
  func isGivenBackByChildren() throws {
    let path = playground.directory.path(of: ".todosync/lock")
    var copy: Int32 = -1
    do {
      let first = try lock()
      let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      let held = all.first { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))
          == path
      }
      copy = dup(try #require(held.flatMap { Int32($0) }))
      withExtendedLifetime(first) {}
    }
    defer { close(copy) }
    _ = try lock()
  }

  @Test("A waiting writer gets the lock when it is given back")
  func waits() throws {
    let other = open(playground.directory.path(of: ".todosync/lock"), O_RDWR | O_CREAT, 0o600)
    #expect(flock(other, LOCK_EX) == 0)
    #expect(throws: WorkspaceError.locked(nil)) { _ = try lock() }
    var pauses: [UInt32] = []
    _ = try DirectoryLock(
      "lock", in: root(), patience: 60, command: "push", now: playground.now
    ) { pause in
      pauses.append(pause)
      if pauses.count == 3 { close(other) }
    }
    #expect(pauses == [1_000, 2_000, 4_000])
  }
}
