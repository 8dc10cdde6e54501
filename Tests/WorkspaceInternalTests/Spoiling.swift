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
  let gravity: Finding.Gravity
  /// The file that the finding names.
  let place: String
  let spoil: @Sendable (Spoiled) throws -> Void

  init(
    _ description: String, _ gravity: Finding.Gravity, _ place: String,
    _ spoil: @escaping @Sendable (Spoiled) throws -> Void
  ) {
    testDescription = description
    self.gravity = gravity
    self.place = place
    self.spoil = spoil
  }

  private init(
    _ description: String, _ spoil: @escaping @Sendable (Spoiled) throws -> Void
  ) {
    self.init(description, .note, "", spoil)
  }

  /// Damage that `--fix` mends.
  static let damaged: [Spoiling] = [
    Spoiling("the journal's first line is destroyed", .damage, "journal/todoitem.jsonl") {
      $0.change("journal/todoitem.jsonl") { $0.flip("tsync-journal") }
    },
    Spoiling("a row is destroyed", .damage, "journal/todoitem.jsonl") {
      $0.change("journal/todoitem.jsonl") { $0.flip("as pulled") }
    },
    Spoiling("a journal is NUL", .damage, "journal/todoitem.jsonl") {
      $0.change("journal/todoitem.jsonl") { $0 = [UInt8](repeating: 0, count: $0.count) }
    },
    Spoiling("a line is of no known kind", .damage, "journal/todoitem.jsonl") {
      try $0.record(["surprise": "t"])
    },
    Spoiling("a journal is of another table", .damage, "journal/other.jsonl") {
      rename($0.path("journal/todoitem.jsonl"), $0.path("journal/other.jsonl"))
    },
    Spoiling("a mending was stopped", .damage, "journal/todoitem.jsonl") {
      $0.change("journal/todoitem.jsonl") { $0.flip("tsync-journal") }
      $0.change("journal/todoitem.jsonl.new") { $0 = Array("{".utf8) }
    },
    Spoiling("the state is garbled", .damage, "state.json") {
      $0.change("state.json") { $0 = Array("{\"format\":".utf8) }
    },
    Spoiling("in the state, the dataset is no text", .damage, "state.json") {
      $0.change("state.json") { $0 = Array(#"{"format": 2, "dataset": 5}"#.utf8) }
    },
    Spoiling("in the state, the time is none", .damage, "state.json") {
      $0.change("state.json") { $0 = Array(#"{"format": 2, "pulled": "soon"}"#.utf8) }
    },
  ]

  /// What `--fix` mends, and nobody needs to be told.
  static let silent: [Spoiling] = [
    Spoiling("the journal's end is torn") {
      $0.change("journal/todoitem.jsonl") { $0 += Array(#"{"n":99,"d":2,"sent":"no"#.utf8) }
    },
    Spoiling("an update is guarded by no version") {
      try $0.append(.sent($0.attempt("a", version: nil)))
    },
    Spoiling("an item in conflict is on its way") {
      try $0.append(.sent($0.attempt("c")))
    },
    Spoiling("the server's side of a conflict is gone") {
      unlink($0.path("conflicts/todoitem/c.server.json"))
    },
    Spoiling("the base's side of a conflict is gone") {
      unlink($0.path("conflicts/todoitem/c.base.json"))
    },
    Spoiling("the server's side was edited") {
      $0.change("conflicts/todoitem/c.server.json") { $0 = Array(#"{"text":"edited"}"#.utf8) }
    },
    Spoiling("a side is of no conflict") {
      $0.change("conflicts/todoitem/a.server.json") { $0 = Array(#"{"text":"precious"}"#.utf8) }
    },
    Spoiling("a client's side without a conflict says what the item says") {
      $0.change("conflicts/todoitem/a.client.json") { $0 = Array(#"{"text":"as pulled"}"#.utf8) }
    },
    Spoiling("a merged text without a conflict says what the item says") {
      $0.change("conflicts/todoitem/a.edit.json") {
        $0 = Array("// client 1, server 2: leave this line\n{\"text\":\"as pulled\"}".utf8)
      }
    },
    Spoiling("an emptied text is of no conflict") {
      $0.change("conflicts/todoitem/a.edit.json") { $0 = Array("// client 1, server 2:\n\n".utf8) }
    },
    Spoiling("a file was saved behind the index's back") {
      try $0.saveUnseen("b", #"{"id":"b","text":"as PULLED"}"#)
    },
    Spoiling("a text on its way was left") {
      $0.change("trash/.tmp-1-1-0-1234567890123456-items-todoitem.a.json") {
        $0 = Array(#"{"text":"precious"}"#.utf8)
      }
    },
    Spoiling("a private file on its way was left") {
      $0.change(".tmp-4194305-1") { $0 = [] }
    },
    Spoiling("the items were being made anew") {
      $0.place.directory.write("{}", to: ".todosync/items.new/todoitem/a.json")
    },
    Spoiling("a log was being written anew") {
      $0.change("journal/todoitem.jsonl.new") { $0 = Array("{".utf8) }
    },
    Spoiling("a quarantined row was left on its way") {
      mkdir($0.path("quarantine/todoitem"), 0o700)
      $0.change("quarantine/todoitem/.tmp-1-1") { $0 = Array("{".utf8) }
    },
    Spoiling("the workspace is open to others") {
      chmod($0.path(""), 0o755)
    },
  ]

  /// What is only to be known, or nobody but the user can mend.
  static let others: [Spoiling] = [
    Spoiling("names differ in case", .note, "items/todoitem/a.json") {
      $0.place.save("{}", as: "A")
      $0.place.save("{}", as: "a")
    },
    Spoiling("a name is of no id", .note, "items/todoitem/a b.json") {
      $0.place.save("{}", as: "a b")
    },
    Spoiling("a directory is no table's", .note, "items/a b") {
      mkdir($0.path("items/a b"), 0o700)
    },
    Spoiling("a file isn't JSON", .note, "items/todoitem/a.json") { $0.place.save("{") },
    Spoiling("an id isn't the name's", .note, "items/todoitem/a.json") {
      $0.place.save(#"{"id":"b"}"#)
    },
    Spoiling("a file is empty", .note, "items/todoitem/a.json") { $0.place.save("") },
    Spoiling("a file is NUL", .note, "items/todoitem/a.json") { $0.place.save("\0\0") },
    Spoiling("the items are gone", .unsafe, "items") {
      rename($0.path("items"), $0.path("elsewhere"))
    },
    Spoiling("the items are a link", .damage, "items") {
      rename($0.path("items"), $0.path("elsewhere"))
      symlink("elsewhere", $0.path("items"))
    },
    Spoiling("a table's items are a link", .damage, "items/todoitem") {
      rename($0.path("items/todoitem"), $0.path("elsewhere"))
      symlink("../elsewhere", $0.path("items/todoitem"))
    },
    Spoiling("the settings are gone", .damage, "config.json") {
      unlink($0.path("config.json"))
      $0.change("state.json") {
        $0 = Array(#"{"format": 2, "origin": "https://example.org:443"}"#.utf8)
      }
    },
    Spoiling(
      "an edited side is of no conflict", .note, "conflicts/todoitem/a.client.json"
    ) {
      $0.change("conflicts/todoitem/a.client.json") { $0 = Array(#"{"text":"precious"}"#.utf8) }
    },
    Spoiling(
      "a side of no conflict isn't JSON", .note, "conflicts/todoitem/a.client.json"
    ) {
      $0.change("conflicts/todoitem/a.client.json") { $0 = Array(#"{"text":"#.utf8) }
    },
    Spoiling(
      "a half-merged text is of no conflict", .note, "conflicts/todoitem/a.edit.json"
    ) {
      $0.change("conflicts/todoitem/a.edit.json") { $0 = Array("<<<<<<<\n".utf8) }
    },
    Spoiling(
      "the client's side of a conflict isn't JSON", .note,
      "conflicts/todoitem/c.client.json"
    ) {
      $0.change("conflicts/todoitem/c.client.json") { $0 = Array(#"{"text":"#.utf8) }
    },
    Spoiling("the settings are garbled", .damage, "config.json") {
      $0.change("config.json") { $0 = Array("{\n,".utf8) }
    },
  ]
}
