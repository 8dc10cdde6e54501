import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

/// Where an item's file was moved to: see `DiskContract` for what every disk promises.
@Suite("A look at moved files") final class StrayFilesTests {
  private let playground: Playground
  private var workspace: Workspace

  init() throws {
    playground = try Playground()
    playground.now = Int64(time(nil) + 3) * 1_000_000_000
    workspace = try playground.open()
    playground.save(#"{"id":"b"}"#, as: "b")
  }

  private func file(saying id: Text) throws -> String? {
    try workspace.strays(in: playground.table)[ItemID(id)]?.fileName
  }

  @Test("names that can't be an id's are found, and the file is told as everywhere")
  func rawNames() throws {
    playground.save(#"{"id":"a"}"#, as: "a b%")
    #expect(try file(saying: "a") == "a b%.json")
    let found = try workspace.strays(in: playground.table)[ItemID("a")]
    #expect(found?.way == .rename(to: "a.json"))
    #expect(
      try workspace.candidates(in: playground.table).map(\.client).contains(
        .invalid(#require(found))))
  }

  @Test("a look holds until the names change, by whomever")
  func changes() throws {
    #expect(try file(saying: "a") == nil)
    // Nobody sees that without reading each file.
    playground.save(#"{"id":"a"}"#, as: "b")
    #expect(try file(saying: "a") == nil)
    playground.directory.awaitTick(of: ".todosync/items/todoitem")
    _ = try workspace.write(Item(text: "{}"), to: playground.key("c"), expecting: nil)
    #expect(try file(saying: "a") == "b.json")
  }

  @Test("a look in the tick of a change doesn't hold, whatever changes next")
  func sameTick() throws {
    var status = stat()
    stat(playground.directory.path(of: ".todosync/items/todoitem"), &status)
    playground.now = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
    #expect(try file(saying: "a") == nil)
    playground.save(#"{"id":"a"}"#, as: "b")
    #expect(try file(saying: "a") == "b.json")
  }

  @Test("a text that is being written is a stray file's still")
  func torn() throws {
    playground.save(#"{"id":"a"}"#, as: "b")
    #expect(try file(saying: "a") == "b.json")
    playground.save(#"{"id":"#, as: "b")
    #expect(try file(saying: "a") == "b.json")
  }

  @Test("without the directory of the items nothing is said to be nowhere")
  func missing() throws {
    let items = playground.directory.path(of: ".todosync/items")
    #expect(try file(saying: "a") == nil)
    #expect(rename(items, "\(items)-away") == 0)
    workspace = try Workspace(at: playground.directory.path, for: .reading, clock: { 0 })
    #expect(throws: WorkspaceError.missing(place: "items")) { try file(saying: "a") }
  }
}
