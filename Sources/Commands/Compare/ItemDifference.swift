import SyncEngine
import SyncModel
import Workspace

/// The difference between an item and its base, or the last known server row.
struct ItemDifference {
  private let key: ItemKey
  private let old, new: Item?
  private let isFromServer: Bool

  /// `nil` if there is nothing to compare, or no difference.
  init?(
    _ entry: Survey.Entry, isFromServer: Bool, _ session: Session
  ) throws {
    guard let key = entry.key else { return nil }
    let base = try session.workspace.base(of: key).item
    switch entry.standing {
    case .invalid, .moved: return nil
    case .conflict(let conflict):
      old = isFromServer ? conflict.server.liveItem : base
      new = try session.conflict(key).client
    case .unknown, .rejected, .pending, .waiting: (old, new) = (base, entry.client.item)
    }
    guard old != new else { return nil }
    (self.key, self.isFromServer) = (key, isFromServer)
  }

  private var letter: String { old == nil ? "A" : new == nil ? "D" : "M" }

  private var fields: [Change.Field] {
    new == nil ? [] : Change(from: old, to: new).fields
  }

  func lines(_ names: ItemNames) -> [Line] {
    var head = Line("\(letter) ", letter == "A" ? .green : letter == "D" ? .red : .yellow)
    head.append(names.line(for: key))
    head.append("  \(ItemNames.shown(names.title(of: new ?? old)))")
    let width = fields.map { Terminal.columns(of: Terminal.safe($0.name.string)) }.max() ?? 0
    return [head]
      + fields.map { field in
        var line = Line("  \(field.name)")
        line.pad(to: width + 4)
        line.append(ValueText.of(field.old), .red)
        line.append(" -> ")
        line.append(ValueText.of(field.new), .green)
        return line
      }
  }

  /// Compares the file's text with the same text that has the other side's values.
  func patch(_ session: Session) throws -> Patch {
    let place = try session.place(of: key)
    let name = PathName.split(place).name
    let text = try new.flatMap { new -> [UInt8]? in
      guard let text = try session.workspace.text(of: key),
        (try? JSONEdit(text, limits: .item)).map({ Item($0.object) }) == new
      else { return ItemFile.text(of: new, id: key.id) }
      return text
    }
    let before = old.map { old in
      guard let text, let edit = try? JSONEdit(text, limits: .item) else {
        return ItemFile.text(of: old, id: key.id)
      }
      return edit.rewritten(as: old)
    }
    let side = isFromServer ? "server" : "base"
    return Patch(
      from: before, named: "\(side)/\(key.table)/\(name)", to: text, named: place)
  }

  func json(_ names: ItemNames) -> JSONObject {
    var object = JSONObject(key, title: names.title(of: new ?? old))
    let fields = fields.map { field in
      var object = JSONObject(["name": field.name])
      object.add(ifAny: ["old": field.old, "new": field.new])
      return object
    }
    object.add(["kind": letter, "fields": fields])
    return object
  }
}

extension Conflict {
  /// Returns each field that a side changed, with its three values.
  func json(_ key: ItemKey, _ names: ItemNames) -> JSONObject {
    let disputed = Set(self.names)
    var seen: Set<Text> = []
    let all = [client, server, base].compactMap { $0 }.flatMap { $0.fields.members.map(\.name) }
    let fields = all.compactMap { name -> JSONObject? in
      let (base, client, server) = (base?[name], client?[name], server?[name])
      guard seen.insert(name).inserted, base != client || base != server else { return nil }
      var object = JSONObject(["name": name])
      object.add(ifAny: ["base": base, "client": client, "server": server])
      object.add(["conflict": disputed.contains(name)])
      return object
    }
    var object = JSONObject(key, title: names.title(of: shown))
    object.add(["kind": letters, "fields": fields])
    return object
  }
}
