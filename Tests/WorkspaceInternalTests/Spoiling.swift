import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

/// Something done to a workspace by hand, and what the doctor is to say of it.
struct Spoiling: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let invariant: Finding.Invariant
  let gravity: Finding.Gravity
  /// The file that the finding names.
  let place: String
  let spoil: @Sendable (Spoiled) throws -> Void

  init(
    _ description: String, _ invariant: Finding.Invariant, _ gravity: Finding.Gravity,
    _ place: String, _ spoil: @escaping @Sendable (Spoiled) throws -> Void
  ) {
    testDescription = description
    self.invariant = invariant
    self.gravity = gravity
    self.place = place
    self.spoil = spoil
  }

  /// Faults that `--fix` mends.
  static let mendable: [Spoiling] = [
    Spoiling("the journal's end is torn", .journalLines, .mendable, "journal.jsonl") {
      $0.change("journal.jsonl") { $0 += Array(#"{"n":3,"d":2,"t":"no"#.utf8) }
    },
    Spoiling("the journal is gone", .journalLines, .mendable, "journal.jsonl") {
      unlink($0.path("journal.jsonl"))
    },
    Spoiling(
      "a record in the journal's midst is destroyed", .journalLines, .damage, "journal.jsonl"
    ) {
      for record in [
        JournalRecord.purge($0.place.table), .closed(.purge($0.place.table)),
      ] {
        try $0.append(record)
      }
      $0.change("journal.jsonl") { $0.flip("theirs") }
    },
    Spoiling("the journal's first line is destroyed", .journalLines, .damage, "journal.jsonl") {
      $0.change("journal.jsonl") { $0.flip("tsync-journal") }
    },
    Spoiling("the journal is NUL", .journalLines, .damage, "journal.jsonl") {
      $0.change("journal.jsonl") { $0 = [UInt8](repeating: 0, count: $0.count) }
    },
    Spoiling("a record is of no known kind", .journalLines, .damage, "journal.jsonl") {
      try $0.record(["t": "surprise"])
    },
    Spoiling("an update is guarded by no version", .attempts, .damage, "base/todoitem.jsonl") {
      try $0.append(.sent($0.attempt("a", version: nil)))
    },
    Spoiling(
      "an item in conflict is on its way", .conflictOrAttempt, .mendable, "base/todoitem.jsonl"
    ) {
      try $0.append(.sent($0.attempt("c")))
    },
    Spoiling("a row is destroyed", .baseRows, .damage, "base/todoitem.jsonl") {
      $0.change("base/todoitem.jsonl") { $0.flip("as pulled") }
    },
    Spoiling("a base log is NUL", .baseRows, .damage, "base/todoitem.jsonl") {
      $0.change("base/todoitem.jsonl") { $0 = [UInt8](repeating: 0, count: $0.count) }
    },
    Spoiling("a base log is of another table", .baseRows, .damage, "base/other.jsonl") {
      rename($0.path("base/todoitem.jsonl"), $0.path("base/other.jsonl"))
    },
    Spoiling("the directory of the base logs is gone", .baseRows, .mendable, "base") {
      unlink($0.path("base/todoitem.jsonl"))
      rmdir($0.path("base"))
    },
    Spoiling(
      "the server's side of a conflict is gone", .conflicts, .mendable,
      "conflicts/todoitem/c.server.json"
    ) {
      unlink($0.path("conflicts/todoitem/c.server.json"))
    },
    Spoiling(
      "the base's side of a conflict is gone", .conflicts, .mendable,
      "conflicts/todoitem/c.base.json"
    ) {
      unlink($0.path("conflicts/todoitem/c.base.json"))
    },
    Spoiling(
      "the server's side was edited", .conflicts, .mendable, "conflicts/todoitem/c.server.json"
    ) {
      $0.change("conflicts/todoitem/c.server.json") { $0 = Array(#"{"text":"edited"}"#.utf8) }
    },
    Spoiling("a side is of no conflict", .conflicts, .mendable, "conflicts/todoitem/a.server.json")
    {
      $0.change("conflicts/todoitem/a.server.json") { $0 = Array(#"{"text":"precious"}"#.utf8) }
    },
    Spoiling(
      "a client's side without a conflict says what the item says", .conflicts, .mendable,
      "conflicts/todoitem/a.client.json"
    ) {
      $0.change("conflicts/todoitem/a.client.json") { $0 = Array(#"{"text":"as pulled"}"#.utf8) }
    },
    Spoiling(
      "a merged text without a conflict says what the item says", .conflicts, .mendable,
      "conflicts/todoitem/a.edit.json"
    ) {
      $0.change("conflicts/todoitem/a.edit.json") { $0 = Array(#"{"text":"as pulled"}"#.utf8) }
    },
    Spoiling(
      "an emptied text is of no conflict", .conflicts, .mendable, "conflicts/todoitem/a.edit.json"
    ) {
      $0.change("conflicts/todoitem/a.edit.json") { $0 = [0x0A] }
    },
    Spoiling("a file was saved behind the index's back", .index, .mendable, "index") {
      try $0.saveUnseen("b", #"{"id":"b","text":"as PULLED"}"#)
    },
    Spoiling(
      "a text on its way was left", .leftovers, .mendable,
      "trash/.tmp-1-1-0-1234567890123456-items-todoitem.a.json"
    ) {
      $0.change("trash/.tmp-1-1-0-1234567890123456-items-todoitem.a.json") {
        $0 = Array(#"{"text":"precious"}"#.utf8)
      }
    },
    Spoiling("a private file on its way was left", .leftovers, .mendable, ".tmp-4194305-1") {
      $0.change(".tmp-4194305-1") { $0 = [] }
    },
    Spoiling("a mending was stopped", .leftovers, .mendable, "journal.jsonl.new") {
      $0.change("journal.jsonl") { $0.flip("tsync-journal") }
      $0.change("journal.jsonl.new") { $0 = Array("{".utf8) }
    },
    Spoiling("the items were being made anew", .leftovers, .mendable, "items.new") {
      $0.place.directory.write("{}", to: ".todosync/items.new/todoitem/a.json")
    },
    Spoiling("a log was being written anew", .leftovers, .mendable, "base/todoitem.jsonl.new") {
      $0.change("base/todoitem.jsonl.new") { $0 = Array("{".utf8) }
    },
    Spoiling(
      "a quarantined row was left on its way", .leftovers, .mendable, "quarantine/todoitem/.tmp-1-1"
    ) {
      mkdir($0.path("quarantine/todoitem"), 0o700)
      $0.change("quarantine/todoitem/.tmp-1-1") { $0 = Array("{".utf8) }
    },
    Spoiling("the workspace is open to others", .modes, .mendable, ".") {
      chmod($0.path(""), 0o755)
    },
    Spoiling("the journal is open to others", .modes, .mendable, "journal.jsonl") {
      chmod($0.path("journal.jsonl"), 0o664)
    },
    Spoiling("a base log is open to others", .modes, .mendable, "base/todoitem.jsonl") {
      chmod($0.path("base/todoitem.jsonl"), 0o604)
    },
    Spoiling("the state is garbled", .state, .damage, "state.json") {
      $0.change("state.json") { $0 = Array("{\"format\":".utf8) }
    },
    Spoiling("in the state, the dataset is no text", .state, .damage, "state.json") {
      $0.change("state.json") { $0 = Array(#"{"format": 1, "dataset": 5}"#.utf8) }
    },
    Spoiling("in the state, the time is none", .state, .damage, "state.json") {
      $0.change("state.json") { $0 = Array(#"{"format": 1, "pulled": "soon"}"#.utf8) }
    },
    Spoiling("the history is destroyed", .history, .damage, "history.jsonl") {
      $0.change("history.jsonl") { $0.flip("\"h\"") }
    },
  ]

  /// What is only to be known, or nobody but the user can mend.
  static let others: [Spoiling] = [
    Spoiling("names differ in case", .names, .note, "items/todoitem/A.json") {
      $0.place.save("{}", as: "A")
      $0.place.save("{}", as: "a")
    },
    Spoiling("a name is of no id", .names, .note, "items/todoitem/a b.json") {
      $0.place.save("{}", as: "a b")
    },
    Spoiling("a directory is no table's", .names, .note, "items/a b") {
      mkdir($0.path("items/a b"), 0o700)
    },
    Spoiling("a file isn't JSON", .items, .note, "items/todoitem/a.json") { $0.place.save("{") },
    Spoiling("an id isn't the name's", .items, .note, "items/todoitem/a.json") {
      $0.place.save(#"{"id":"b"}"#)
    },
    Spoiling("a file is empty", .leftovers, .note, "items/todoitem/a.json") { $0.place.save("") },
    Spoiling("a file is NUL", .leftovers, .note, "items/todoitem/a.json") { $0.place.save("\0\0") },
    Spoiling("an item has two names", .modes, .note, "items/todoitem/a.json") {
      link($0.path("items/todoitem/a.json"), $0.path("elsewhere"))
    },
    Spoiling("a base log is gone", .baseRows, .note, "base/todoitem.jsonl") {
      unlink($0.path("base/todoitem.jsonl"))
    },
    Spoiling("the delta token is later than any row", .token, .note, "base/todoitem.jsonl") {
      var workspace = try $0.place.open()
      try workspace.take(in: $0.place.table, token: DeltaToken("2026-03-02T00:00:00.000Z"))
    },
    Spoiling("the items are gone", .names, .unsafe, "items") {
      rename($0.path("items"), $0.path("elsewhere"))
    },
    Spoiling("the journal is a newer tsync's", .journalLines, .unsafe, "journal.jsonl") {
      $0.change("journal.jsonl") { bytes in
        guard let place = bytes.firstRange(of: Array("\"v\":2".utf8)) else { return }
        bytes[place.upperBound - 1] = UInt8(ascii: "3")
      }
    },
    Spoiling("the state is a newer tsync's", .state, .unsafe, "state.json") {
      $0.change("state.json") { $0 = Array("{\"format\":2}".utf8) }
    },
    Spoiling("the items are a link", .modes, .damage, "items") {
      rename($0.path("items"), $0.path("elsewhere"))
      symlink("elsewhere", $0.path("items"))
    },
    Spoiling("a table's items are a link", .modes, .damage, "items/todoitem") {
      rename($0.path("items/todoitem"), $0.path("elsewhere"))
      symlink("../elsewhere", $0.path("items/todoitem"))
    },
    Spoiling("the settings are gone", .state, .damage, "config.json") {
      unlink($0.path("config.json"))
      $0.change("state.json") {
        $0 = Array(#"{"format": 1, "origin": "https://example.org:443"}"#.utf8)
      }
    },
    Spoiling(
      "an edited side is of no conflict", .conflicts, .note, "conflicts/todoitem/a.client.json"
    ) {
      $0.change("conflicts/todoitem/a.client.json") { $0 = Array(#"{"text":"precious"}"#.utf8) }
    },
    Spoiling(
      "a side of no conflict isn't JSON", .conflicts, .note, "conflicts/todoitem/a.client.json"
    ) {
      $0.change("conflicts/todoitem/a.client.json") { $0 = Array(#"{"text":"#.utf8) }
    },
    Spoiling(
      "a half-merged text is of no conflict", .conflicts, .note, "conflicts/todoitem/a.edit.json"
    ) {
      $0.change("conflicts/todoitem/a.edit.json") { $0 = Array("<<<<<<<\n".utf8) }
    },
    Spoiling(
      "the client's side of a conflict isn't JSON", .conflicts, .note,
      "conflicts/todoitem/c.client.json"
    ) {
      $0.change("conflicts/todoitem/c.client.json") { $0 = Array(#"{"text":"#.utf8) }
    },
    Spoiling("the settings are garbled", .state, .damage, "config.json") {
      $0.change("config.json") { $0 = Array("{\n,".utf8) }
    },
  ]
}
