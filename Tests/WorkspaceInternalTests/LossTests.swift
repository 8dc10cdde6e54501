import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

/// What is told of files that somebody has removed, or has written to where nobody looks.
@Suite("Losses are told")
struct LossTests {
  private let spoiled: Spoiled

  init() throws { spoiled = try Spoiled() }

  private func notices(writing: Bool) throws -> [String] {
    let access: Workspace.Access =
      writing ? .writing(command: "test", patience: 0) : .reading
    let workspace = try Workspace(
      at: spoiled.place.directory.path, for: access, clock: { self.spoiled.place.now })
    _ = try workspace.candidates(in: spoiled.place.table)
    return workspace.notices
  }

  @Test("the directory of the journals", arguments: [true, false])
  func base(writing: Bool) throws {
    unlink(spoiled.path("journal/todoitem.jsonl"))
    rmdir(spoiled.path("journal"))
    let told = try notices(writing: writing)
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("journal is missing:") == true)
  }

  @Test("a journal that the index knows of", arguments: [true, false])
  func log(writing: Bool) throws {
    #expect(try notices(writing: writing) == [])
    unlink(spoiled.path("journal/todoitem.jsonl"))
    #expect(
      try notices(writing: writing).contains { $0.hasPrefix("journal/todoitem.jsonl is missing:") })
  }

  @Test("no journal where none ever was")
  func never() throws {
    let place = try Playground()
    let workspace = try place.open()
    _ = try workspace.candidates(in: place.table)
    #expect(workspace.notices == [])
  }
}
