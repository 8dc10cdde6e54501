import SyncEngine
import SyncModel
import Workspace

/// The difference between an item and its base, or the last known server row.
struct ItemDifference {
  private let key: ItemKey
  private let old, new: Item?
  private let isFromServer: Bool
  /// The item whose title is shown; `nil` for the new version's, or the old one's.
  private var titled: Item?

  /// The difference that a command has made; `shown` is the item for the title.
  init(_ change: History.Change, shown: Item?) {
    let isNew = [.added, .created, .undeleted].contains(change.did)
    let isGone = [.removed, .deleted].contains(change.did)
    (key, isFromServer, titled) = (change.key, false, shown)
    (old, new) = (isNew ? nil : change.item(after: false), isGone ? nil : change.item(after: true))
  }

  /// `nil` if there is nothing to compare, or no difference.
  init?(
    _ entry: Survey.Entry, isFromServer: Bool, _ session: Session
  ) throws {
    guard let key = entry.key else { return nil }
    let base = try session.workspace.base(of: key).item
    switch entry.standing {
    case .invalid, .moved: return nil
    case .conflict(let conflict):
      old = isFromServer ? conflict.server : base
      new = try session.conflict(key).client
    case .unknown, .rejected, .pending, .behind: (old, new) = (base, entry.client.item)
    }
    guard old != new else { return nil }
    (self.key, self.isFromServer) = (key, isFromServer)
  }

  private var letter: String { old == nil ? "A" : new == nil ? "D" : "M" }

  /// The places that differ; `base` is the old version, `client` the new one.
  private var places: [Difference] {
    guard let new else { return [] }
    let other = old ?? Item(JSONObject())
    return FieldMerge(base: other, client: new, server: other).differences
  }

  func lines(_ names: ItemNames) -> [Line] {
    var head = Line("\(letter) ", letter == "A" ? .green : letter == "D" ? .red : .yellow)
    head.append(names.line(for: key))
    head.append("  \(ItemNames.shown(names.title(of: titled ?? new ?? old)))")
    let places = places
    let width = places.map { Line($0.path.description).columns }.max() ?? 0
    func line(_ place: Difference) -> Line {
      var line = Line("  \(place.path)")
      line.pad(to: width + 4)
      return line
    }
    return [head]
      + places.flatMap { place -> [Line] in
        guard place.runs.isEmpty else {
          return place.changes.flatMap { change in
            var head = line(place)
            head.append(place.words(of: change))
            guard !change.isLineEnd else { return [head] }
            return [head] + change.run.lines(of: .base).map { Line("    - \($0)", .red) }
              + change.run.lines(of: .client).map { Line("    + \($0)", .green) }
          }
        }
        var line = line(place)
        if case .texts(let texts) = place.tree.parts {
          for (sign, side, style) in [("+", Side.base, Line.Style.green), ("-", .client, .red)] {
            for text in texts where text.tree.values[side] == nil {
              line.append("\(sign)\(FieldPath(text.name)) ", style)
            }
          }
          return [line]
        }
        line.append(place.shown(.base), .red)
        line.append(" -> ")
        line.append(place.shown(.client), .green)
        return [line]
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
    let fields = places.map { $0.json([("old", .base), ("new", .client)]) }
    object.add(["kind": letter, "fields": fields])
    return object
  }
}

extension Conflict {
  /// Returns each place that a side changed, with the values of the versions that there are.
  func json(_ key: ItemKey, _ names: ItemNames) -> JSONObject {
    let client = client.map { _ in (name: "client" as Text, side: Side.client) }
    let server = server.map { _ in (name: "server" as Text, side: Side.server) }
    let versions = [("base", .base), client, server].compactMap { $0 }
    let fields = differences.map { place in
      var object = place.json(versions)
      object.add(["conflict": place.isDisputed])
      return object
    }
    var object = JSONObject(key, title: names.title(of: shown))
    object.add(["kind": letters, "fields": fields])
    return object
  }
}

extension Difference {
  /// A version's value for people: within an object, `null` is a value; of the order of a list, the ids.
  func shown(_ side: Side) -> String {
    if case .elements(_, let order?) = tree.parts {
      return order[side].map { FieldPath($0).text.string }.joined(separator: ", ")
    }
    return path.steps.count > 1 && values[side] == .null ? "null" : ValueText.of(values[side])
  }

  /// Returns the place with what the given versions have there.
  fileprivate func json(_ versions: [(name: Text, side: Side)]) -> JSONObject {
    var object = JSONObject(["name": path.text, "path": path.steps])
    for (name, side) in versions { object.add(ifAny: [name: values[side]]) }
    guard !runs.isEmpty else { return object }
    let lines = changes.map { change in
      var object = JSONObject(["at": change.line])
      for (name, side) in versions { object.add([name: change.run.lines(of: side)]) }
      return object
    }
    object.add(["lines": lines])
    return object
  }
}
