import SyncEngine
import SyncModel
import Workspace

/// One command of `tsync log`.
struct LogEntry {
  private let command: History.Command
  /// The changes; deletes that were only about to be sent are not among them.
  let changes: [History.Change]

  init(_ command: History.Command, of key: ItemKey? = nil) {
    self.command = command
    changes = command.effects.filter { key == nil || $0.key == key }
  }

  /// The number, the time, the command, and what it did, or did to one item.
  func row(of key: ItemKey?, _ author: inout Author, now: Int64) throws -> [Line] {
    let time = command.time.ticks / Timestamp.perSecond
    var words = Terminal.cut(Terminal.safe(command.words.string), to: 40)
    let did: String
    if key != nil {
      if command.isPull, let name = author.name(after: changes) { words += " · \(name)" }
      did = changes.map { change in
        let fields = change.fields.map {
          "\($0.name): \(ValueText.of($0.old)) -> \(ValueText.of($0.new))"
        }
        return [.changed, .updated].contains(change.did) && !fields.isEmpty
          ? fields.joined(separator: ", ") : change.did.rawValue
      }.joined(separator: ", ")
    } else {
      did = counts.map { "\($0.count) \($0.did.rawValue)" }.joined(separator: ", ")
    }
    let end =
      switch command.status {
      case 0?: ""
      case let status? where status <= 128: "status \(status)"
      default: "stopped"
      }
    let rest = [did, key == nil ? end : ""].filter { !$0.isEmpty }.joined(separator: ", ")
    return [Line("\(command.number)"), Line(Times.clock(time, now: now)), Line(words), Line(rest)]
  }

  /// How many items were changed in which way.
  private var counts: [(count: Int, did: History.Deed)] {
    var counts: [History.Deed: Int] = [.added: command.first.values.reduce(0, +)]
    var met: [History.Deed: Set<ItemKey>] = [:]
    for change in changes where met[change.did, default: []].insert(change.key).inserted {
      counts[change.did, default: 0] += 1
    }
    let order: [History.Deed] = [
      .added, .changed, .removed, .resolved, .reopened, .created, .found, .updated, .undeleted,
      .deleted,
    ]
    return order.compactMap { did in counts[did].flatMap { $0 > 0 ? ($0, did) : nil } }
  }

  func json(_ session: Session) throws -> JSONObject {
    var object = JSONObject(["number": command.number, "time": command.time.text])
    object.add(["command": command.words])
    object.add(ifAny: ["status": command.status, "undoes": command.undoes])
    let first = command.first.sorted { $0.key < $1.key }
    if !first.isEmpty {
      object.add([
        "first": JSONObject(first.map { .init(name: $0.key.text, value: .integer($0.value)) })
      ])
    }
    let list = try changes.map { change in
      let title = ItemNames.title(
        of: try session.item(of: change), field: session.configuration.titleField)
      var object = JSONObject(change.key, title: title)
      object.add(["did": change.did.rawValue])
      let fields = change.fields.map {
        JSONObject.Member(name: $0.name, value: .array([$0.old ?? .null, $0.new ?? .null]))
      }
      if !fields.isEmpty { object.add(["fields": JSONObject(fields)]) }
      object.add(ifAny: ["trash": change.place])
      return object
    }
    object.add(["changes": list])
    return object
  }
}

extension History.Command {
  /// Whether it has brought the server's changes.
  var isPull: Bool { ["pull", "clone"].contains(name) }

  /// The name of the command.
  var name: String {
    String(words.string.utf8.prefix { $0 != UInt8(ascii: " ") }) ?? words.string
  }

  /// The changes that came about; a delete has the fields that were written ahead of it.
  var effects: [History.Change] {
    var ahead: [ItemKey: History.Change] = [:]
    return changes.compactMap { change in
      guard change.did != .deleting else {
        ahead[change.key] = change
        return nil
      }
      guard change.did == .deleted, change.fields.isEmpty, change.place == nil,
        let before = ahead[change.key]
      else { return change }
      var change = change
      (change.fields, change.place) = (before.fields, before.place)
      return change
    }
  }
}

/// Who changed an item, where its rows say it: the setting `who.field`.
struct Author {
  private let field: Text
  /// What the field says after the changes that are still to come.
  private var value: JSON?

  init(_ session: Session, of key: ItemKey?) {
    field = session.configuration.whoField
    value = key.flatMap { try? session.workspace.base(of: $0).row?.item[field] } ?? nil
  }

  /// Returns the author of an item's newest change that was not given yet.
  mutating func name(after changes: [History.Change]) -> String? {
    let told = changes.reversed().flatMap(\.fields).first { $0.name == field }
    defer { if let told { value = told.old } }
    return (told?.new ?? value)?.text?.string
  }
}
