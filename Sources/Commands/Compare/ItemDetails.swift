import SyncEngine
import SyncModel
import Workspace

/// All that tsync knows of one item.
struct ItemDetails {
  private let key: ItemKey
  private let state: String
  private let place: String
  private let base: Base
  private let client: ClientState
  private let file: ClientState
  private let server: Row?

  init(_ key: ItemKey, state: String, _ session: Session) throws {
    self.key = key
    self.state = state
    place = try session.place(of: key)
    base = try session.workspace.base(of: key)
    server = session.workspace.journal.conflicts[key]?.server ?? base.row
    file = try session.workspace.client(key)
    client = try Self.client(key, file, session.workspace)
  }

  /// Returns the client side of an open conflict, else the file.
  ///
  /// A file that was edited since the conflict wins (decisions.md 10).
  private static func client(
    _ key: ItemKey, _ file: ClientState, _ workspace: Workspace
  ) throws -> ClientState {
    guard let open = workspace.journal.conflicts[key], file.digest == open.digest else {
      return file
    }
    let side = try workspace.conflictClient(of: key)
    return side == .absent ? file : side
  }

  /// The fault of a conflict's invalid client side; the sheet shows the file instead.
  var invalidSide: InvalidItem? {
    guard case .invalid(let invalid) = client, client != file else { return nil }
    return invalid
  }

  private var here: Item? { client.item ?? file.item }
  private var shown: Item? { here ?? server?.item }

  // MARK: For people

  func lines(_ titleField: Text?) -> [Line] {
    var fields: [(String, String)] = (shown?.fields.members ?? []).filter { !$0.value.isNull }
      .map { ($0.name.string, ValueText.of($0.value)) }
    var known: [(String, String)] = []
    if let created = base.row?.createdAt { known.append(("createdAt", created.string)) }
    if let updated = base.row?.updatedAt { known.append(("updatedAt", updated.text.string)) }
    if let version = base.row?.version { known.append(("version", version.text.string)) }
    known.append(("state", state))
    if file != .absent { known.append(("file", place)) }
    let width = (fields + known).map { Terminal.columns(of: Terminal.safe($0.0)) }.max() ?? 0
    var head = Line("\(key.table)/\(key.id)", .bold)
    head.append("  \(ItemNames.title(of: shown, field: titleField) ?? ItemNames.untitled)")
    let isGone = shown == nil
    if isGone { fields = [] }
    func line(_ pair: (String, String)) -> Line {
      var line = Line("  \(pair.0)", .dim)
      line.pad(to: width + 4)
      line.append(pair.1)
      return line
    }
    return [head] + fields.map(line) + [Line()] + known.map(line)
  }

  /// Returns one side as JSON text; throws if the item doesn't have that side.
  func text(of side: ShowCommand.Side) throws -> String {
    let object: JSONObject
    switch side {
    case .base:
      guard let row = base.row else {
        throw Failure.usage("\(key) has no base: tsync knows no row of it")
      }
      object = Self.object(row.deleted ? nil : row.item, key.id)
    case .server:
      guard let server else { throw Failure.usage("tsync knows no row of \(key)") }
      object = Self.object(server.deleted ? nil : server.item, key.id)
    case .client:
      if case .invalid(let invalid) = client { throw Failure(invalid: invalid, .usage) }
      object = Self.object(client.item, key.id)
    }
    return Terminal.safe(json: JSON.object(object).encoded(.indented()) + [0x0A])
  }

  private static func object(_ item: Item?, _ id: ItemID) -> JSONObject {
    guard let item else {
      return JSONObject([
        .init(name: Item.idField, value: .string(id.text)),
        .init(name: SystemField.deleted.name, value: true),
      ])
    }
    return item.object(id: id, omittingNulls: true)
  }

  // MARK: For programs

  func json(_ titleField: Text?) -> JSONObject {
    var object = JSONObject(key, title: ItemNames.title(of: shown, field: titleField))
    object.add([
      "state": state, "path": ".todosync/\(place)", "base": Self.json(base.row),
      "client": here?.object(id: key.id), "server": Self.json(server),
    ])
    return object
  }

  /// Returns a row with its system fields.
  private static func json(_ row: Row?) -> JSON {
    guard let row else { return .null }
    var object = row.item.object(id: row.id)
    object.add(ifAny: [
      SystemField.createdAt.name: row.createdAt, SystemField.updatedAt.name: row.updatedAt?.text,
      SystemField.version.name: row.version?.text, SystemField.deleted.name: row.deleted,
    ])
    return .object(object)
  }
}
