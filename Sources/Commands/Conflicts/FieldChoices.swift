import SyncEngine
import SyncModel

/// The command line's choice for conflicts: a side that wins, and values of single fields.
struct FieldChoices {
  /// The side that wins in all other fields.
  let side: Resolution.Side?
  private let fields: [Assignment]
  /// The types of fields; other items are read only if a value is given.
  private var types: FieldTypes?

  /// Parses the words of `-f`: `FIELD=client`, `FIELD=server`, `FIELD=VALUE`, `FIELD:=JSON`.
  init(side: Resolution.Side?, fields words: [String]) throws {
    self.side = side
    fields = try words.map { try Assignment($0) }
    guard side != .both || fields.isEmpty else {
      throw Problem.usage("--both and --field can't be mixed")
    }
  }

  init() { (side, fields) = (nil, []) }

  var isEmpty: Bool { side == nil && fields.isEmpty }

  var names: [Text] { fields.map(\.field) }

  /// Returns the resolution of a conflict; `nil` if the choices leave a field open.
  mutating func resolution(
    of conflict: Conflict, _ key: ItemKey, in session: Session
  ) throws -> Resolution? {
    guard !fields.isEmpty else {
      return try side.flatMap { try session.resolution($0, of: conflict) }
    }
    // If one side deleted the item, there are no fields to choose.
    guard let merge = conflict.fields else { return nil }
    var values: [Text: JSON?] = [:]
    var how: [String] = []
    for assignment in fields {
      guard let disputed = merge.disputed.first(where: { $0.name == assignment.field }) else {
        continue
      }
      let value: JSON?
      switch assignment.value {
      case .typed("client"): value = disputed.client
      case .typed("server"): value = disputed.server
      case .typed, .json, .none:
        var types = try self.types ?? FieldTypes(session.inventory())
        value = try types.value(of: assignment, in: merge.item, key, on: session.workspace)
        self.types = types
      }
      values[assignment.field] = .some(value)
      how.append("\(assignment.field): \(assignment.words)")
    }
    if merge.disputed.contains(where: { values[$0.name] == nil }) {
      guard let side else { return nil }
      how.append(side.rawValue)
    }
    let item = merge.item(choosing: { field in
      values[field.name] ?? (side == .server ? field.server : field.client)
    })
    return Resolution(item: item, how: how.joined(separator: ", "))
  }
}

extension Assignment {
  /// The value for people: `client`, `2026-03-10`, `null`.
  fileprivate var words: String {
    switch value {
    case .typed(let text): text.string
    case .json(let json): String(decoding: json.encoded(), as: UTF8.self)
    case .none: "null"
    }
  }
}
