import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

/// Something else in the place of a file or directory of tsync's own.
struct WrongKind: Sendable, CustomTestStringConvertible {
  enum Kind: String, CaseIterable {
    case pipe, directory, link, file
  }

  let name: String
  let kind: Kind

  var testDescription: String { "\(name): \(kind.rawValue)" }

  /// What `--fix` puts away.
  static let mended = ["state.json", "journal/todoitem.jsonl"].flatMap { name in
    [Kind.pipe, .directory, .link].map { WrongKind(name: name, kind: $0) }
  }

  /// What is told, and left to its user.
  static let told =
    ["config.json", "lock"].flatMap { name in
      [Kind.pipe, .directory, .link].map { WrongKind(name: name, kind: $0) }
    }
    + ["journal", "conflicts", "quarantine", "trash"].flatMap { name in
      [Kind.pipe, .file, .link].map { WrongKind(name: name, kind: $0) }
    }

  func lay(in spoiled: Spoiled) {
    let (path, parts) = (spoiled.path(name), name.split(separator: "/"))
    for count in 1..<max(parts.count, 1) {
      mkdir(spoiled.path(parts[..<count].joined(separator: "/")), 0o700)
    }
    rename(path, spoiled.place.directory.path(of: "aside"))
    switch kind {
    case .pipe: mkfifo(path, 0o600)
    case .directory:
      mkdir(path, 0o700)
      spoiled.change("\(name)/precious") { $0 = Array("precious".utf8) }
    case .link:
      spoiled.place.directory.write("outside", to: "outside")
      symlink(spoiled.place.directory.path(of: "outside"), path)
    case .file: spoiled.change(name) { $0 = Array("precious".utf8) }
    }
  }
}

@Suite("Something else in the place of a file or directory of tsync's own (W5)")
struct KindTests {
  @Test(
    "is told once, and is out of the way after --fix; nothing is lost", arguments: WrongKind.mended)
  func mended(wrong: WrongKind) throws {
    let spoiled = try Spoiled()
    wrong.lay(in: spoiled)
    let told = try spoiled.examine().faults
    #expect(told.map(\.place) == [wrong.name], "\(told)")
    #expect(told.first?.remedy != nil)
    let before = spoiled.files.filter { $0.value == Array("precious".utf8) }
    let deeds = try spoiled.mend().compactMap(\.deed)
    #expect(try spoiled.examine().faults == [])
    let kept = spoiled.files.filter { $0.value == Array("precious".utf8) }
    #expect(kept.count == before.count)
    #expect(spoiled.place.directory.text("outside") ?? "outside" == "outside")
    for path in kept.keys { #expect(deeds.contains { path.hasPrefix($0.place) }, "\(deeds)") }
    #expect(try spoiled.mend() == [])
  }

  @Test("is told, and stays where it is", arguments: WrongKind.told)
  func told(wrong: WrongKind) throws {
    let spoiled = try Spoiled()
    wrong.lay(in: spoiled)
    let told = try spoiled.examine().faults
    #expect(told.map(\.place) == [wrong.name], "\(told)")
    #expect(told.first?.remedy == nil)
    var before = stat()
    lstat(spoiled.path(wrong.name), &before)
    _ = try? spoiled.mend()
    var after = stat()
    lstat(spoiled.path(wrong.name), &after)
    #expect(after.st_ino == before.st_ino)
    #expect(try spoiled.examine().faults.map(\.place) == [wrong.name])
  }

  @Test(
    "a pipe is waited for by nobody: whoever needs the file refuses it by its name",
    arguments: ["journal/todoitem.jsonl", "state.json", "lock", "history.jsonl"])
  func waitsForNoPipe(name: String) throws {
    let spoiled = try Spoiled()
    unlink(spoiled.path("index"))
    WrongKind(name: name, kind: .pipe).lay(in: spoiled)
    let place = spoiled.place
    let irregular = WorkspaceError.damaged(
      place: name, line: nil, fact: "it is not a regular file")
    if name != "lock" {
      #expect(throws: irregular) {
        let workspace = try Workspace(
          at: place.directory.path, for: .reading, clock: { place.now })
        _ = try workspace.candidates(in: place.table)
        try workspace.commands { _ in true }
      }
    }
    if name != "history.jsonl" {
      #expect(throws: irregular) {
        let workspace = try place.open()
        _ = try workspace.candidates(in: place.table)
      }
    }
  }

  @Test("a link in the place of .gitignore, which tsync never reads, is its user's")
  func leavesIgnoreFile() throws {
    let spoiled = try Spoiled()
    WrongKind(name: ".gitignore", kind: .link).lay(in: spoiled)
    #expect(try spoiled.examine().findings == [])
  }

  @Test("a history that is none is put away by the next command, which says where it is")
  func beginsHistory() throws {
    let spoiled = try Spoiled()
    WrongKind(name: "history.jsonl", kind: .directory).lay(in: spoiled)
    var workspace = try spoiled.place.open()
    var told: [String] = []
    try workspace.finish("set", status: 1) { told.append($0) }
    #expect(told.count == 1)
    #expect(told.first?.contains("it is now trash/history.") == true)
    #expect(try workspace.commands().map(\.words) == ["set"])
  }

  @Test("what a command cuts off from a base's end it says, with the place")
  func tellsTornBase() throws {
    let spoiled = try Spoiled()
    spoiled.change("journal/todoitem.jsonl") { $0 += Array("{torn".utf8) }
    var workspace = try spoiled.place.open()
    _ = try workspace.candidates(in: spoiled.place.table)
    var told: [String] = []
    try workspace.finish("pull") { told.append($0) }
    #expect(told.count == 1)
    let place = try #require(told.first?.split(separator: " ").last)
    #expect(spoiled.place.directory.text(".todosync/\(place)") == "{torn")
  }
}

extension String {
  /// The place that a deed tells, which begins `moved to`.
  fileprivate var place: String {
    String(split(separator: " ").dropFirst(2).first?.prefix { $0 != "," } ?? "?")
  }
}
