import Foundation
import Glibc
import SyncModel
import TestSupport
import Testing

@testable import Workspace

@Suite struct DirectoryLockTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  private func root() throws -> Directory {
    try Directory(path: playground.directory.path(of: ".todosync"), place: "")
  }

  private func lock(patience: Double = 0) throws -> DirectoryLock {
    try DirectoryLock(
      "lock", in: root(), patience: patience, command: "push", now: playground.now)
  }

  @Test("A second writer is told who has the lock")
  func namesTheHolder() throws {
    let first = try lock()
    let error = #expect(throws: WorkspaceError.self) { _ = try lock() }
    #expect(
      error.map { "\($0)" }
        == "another tsync holds the workspace: tsync push, process \(getpid()), "
        + "since 2026-03-01T10:15:02Z")
    withExtendedLifetime(first) {}
  }

  @Test("The lock is given back with its last copy, and taken at once")
  func isGivenBack() throws {
    do {
      let first = try lock()
      withExtendedLifetime(first) {}
    }
    _ = try lock()
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

  @Test("case 92: a process that is killed gives the lock back")
  func endsWithItsProcess() throws {
    var pipes: [Int32] = [0, 0]
    try #require(pipe(&pipes) == 0)
    defer { for descriptor in pipes { close(descriptor) } }
    let words = [
      "/bin/sh", "-c", "exec 9<>\"$0\"; flock -x 9; echo held; exec sleep 600",
      playground.directory.path(of: ".todosync/lock"),
    ]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
    var child = pid_t()
    try #require(posix_spawn(&child, "/bin/sh", &actions, nil, &arguments, environ) == 0)
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(read(pipes[0], &bytes, 16) == 5)
    #expect(throws: WorkspaceError.locked(nil)) { _ = try lock() }
    kill(child, SIGKILL)
    var status: Int32 = 0
    #expect(waitpid(child, &status, 0) == child)
    _ = try lock()
  }

  @Test("L1: readers need no lock, and leave nothing behind")
  func readersPass() throws {
    let first = try lock()
    let before = playground.directory.names(in: ".todosync")
    let reader = try Workspace(at: playground.directory.path, for: .reading, clock: { 0 })
    #expect(!reader.isWriting)
    #expect(playground.directory.names(in: ".todosync") == before)
    withExtendedLifetime(first) {}
  }

  @Test("Copies of a workspace hold the lock together")
  func isHeldByCopies() throws {
    var first: Workspace? = try playground.open()
    let second = first
    first = nil
    #expect(throws: WorkspaceError.self) { try self.playground.open() }
    #expect(second?.isWriting == true)
  }

  @Test("A link in the lock's place is not followed")
  func followsNoLink() throws {
    unlink(playground.directory.path(of: ".todosync/lock"))
    let target = playground.directory.path(of: "precious")
    playground.directory.write("precious", to: "precious")
    #expect(symlink(target, playground.directory.path(of: ".todosync/lock")) == 0)
    #expect(throws: WorkspaceError.self) { try self.playground.open() }
    #expect(playground.directory.text("precious") == "precious")
  }
}
