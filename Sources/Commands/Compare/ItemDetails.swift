import SyncEngine
import SyncModel
import Workspace

/// All that tsync knows of one item.
struct ItemDetails {
  private let key: ItemKey
  private let state: String
  private let place: String
  private let base: Base
  private let file: ClientState
  /// The client side of an open conflict, else the file.
  private let client: ClientState
  private let server: Row?
  private let titleField: Text?

  /// `state` is that of a changed or existing item.
  init(_ key: ItemKey, state: String?, _ session: Session) throws {
    self.key = key
    place = try session.place(of: key)
    base = try session.workspace.base(of: key)
    self.state = state ?? (base == .neverSeen ? "absent" : "deleted")
    let row = try session.workspace.rowInConflict(of: key)
    server = row ?? base.row
    file = try session.workspace.client(key)
    // A file that was edited since the conflict wins.
    let laid = try session.workspace.state(of: key.table).laid[key.id]
    let hasSide = row != nil && laid?.file == file.digest
    let side = try hasSide ? session.workspace.conflictClient(of: key) : .absent
    client = side == .absent ? file : side
    titleField = session.configuration.titleField
  }

  /// The fault of a conflict's invalid client side; the sheet shows the file instead.
  var invalidSide: InvalidItem? {
    guard case .invalid(let invalid) = client, client != file else { return nil }
    return invalid
  }

  private var here: Item? { client.item ?? file.item }
  private var shown: Item? { here ?? server?.item }
  private var title: String? { ItemNames.title(of: shown, field: titleField) }

  // MARK: For people

  func lines(_ printer: Printer) -> [Line] {
    let fields = (shown?.fields.members ?? []).filter { !$0.value.isNull }
      .map { ($0.name.string, ValueText.lines(of: $0.value)) }
    let facts = [
      ("createdAt", base.row?.createdAt?.string),
      ("updatedAt", base.row.flatMap { $0.isGone ? nil : $0.updatedAt?.text.string }),
      ("version", base.row?.version?.text.string), ("state", state),
      ("file", file == .absent ? nil : printer.text(of: "\(place: place)")),
    ]
    let known = facts.compactMap { name, fact in fact.map { (name, [$0]) } }
    let width = (fields + known).map { Terminal.columns(of: Terminal.safe($0.0)) }.max() ?? 0
    var head = Line("\(key.table)/\(key.id)", .bold)
    head.append("  \(title ?? ItemNames.untitled)")
    func rows(_ name: String, _ lines: [String]) -> [Line] {
      lines.enumerated().map { index, text in
        var line = index == 0 ? Line("  \(name)", .dim) : Line()
        line.pad(to: width + 4)
        line.append(text)
        return line
      }
    }
    return [head] + fields.flatMap(rows) + [Line()] + known.flatMap(rows)
  }

  /// Returns one side as JSON text; throws if the item doesn't have that side.
  func text(of side: ShowCommand.Side) throws -> String {
    let item: Item?
    switch side {
    case .base:
      guard let row = base.row else {
        throw Problem.usage("\(key) has no base: tsync knows no row of it")
      }
      item = row.liveItem
    case .server:
      guard let server else { throw Problem.usage("tsync knows no row of \(key)") }
      item = server.liveItem
    case .client:
      if case .invalid(let invalid) = client { throw Problem(invalid: invalid, .usage) }
      item = client.item
    }
    var object = (item ?? Item(JSONObject())).object(id: key.id, omittingNulls: true)
    if item == nil { object.append(SystemField.deleted.name, true) }
    return Terminal.safe(json: JSON.object(object).encoded(.indented()) + [0x0A])
  }

  // MARK: For programs

  var json: JSONObject {
    var object = JSONObject(key, title: title)
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
