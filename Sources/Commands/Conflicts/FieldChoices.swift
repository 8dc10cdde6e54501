import SyncEngine
import SyncModel

/// The command line's choice for conflicts: a side that wins, and values of single fields.
struct FieldChoices {
  private struct Field {
    let assignment: Assignment
    let side: Resolution.Side?
    let words: String
  }

  /// The side that wins in all other fields.
  private let side: Resolution.Side?
  private let fields: [Field]

  static let none = FieldChoices()

  private init() {
    side = nil
    fields = []
  }

  var isEmpty: Bool { side == nil && fields.isEmpty }

  /// Parses the words of `-f`: `FIELD=client`, `FIELD=server`, `FIELD=VALUE`, `FIELD:=JSON`.
  init(side: Resolution.Side?, fields words: [String]) throws {
    self.side = side
    fields = try words.map { word in
      let assignment = try Assignment(word)
      switch assignment.value {
      case .typed("client"):
        return Field(assignment: assignment, side: .client, words: "\(assignment.field): client")
      case .typed("server"):
        return Field(assignment: assignment, side: .server, words: "\(assignment.field): server")
      case .typed(let text):
        return Field(assignment: assignment, side: nil, words: "\(assignment.field): \(text)")
      case .json(let json):
        let text = String(decoding: json.encoded(), as: UTF8.self)
        return Field(assignment: assignment, side: nil, words: "\(assignment.field): \(text)")
      case .none:
        return Field(assignment: assignment, side: nil, words: "\(assignment.field): null")
      }
    }
    guard side != .both || fields.isEmpty else {
      throw Failure.usage("--both and --field can't be mixed")
    }
  }

  var keepsBoth: Bool { side == .both }

  var names: [Text] { fields.map(\.assignment.field) }

  /// Returns the resolution on a conflict; `nil` if the choices leave a field open.
  ///
  /// `id` is for the new item of `--both`. `value` returns a field's new value, `nil` to remove it.
  func resolution(
    for conflict: Conflict, id: ItemID, value: (Assignment) throws -> JSON?
  ) throws -> Resolution? {
    guard !fields.isEmpty else { return side.flatMap { Resolution($0, in: conflict, id: id) } }
    // If one side deleted the item, there are no fields to choose.
    guard let merge = conflict.fields else { return nil }
    var values: [Text: JSON?] = [:]
    var how: [String] = []
    for field in fields {
      let name = field.assignment.field
      guard let disputed = merge.disputed.first(where: { $0.name == name }) else { continue }
      let chosen: JSON? =
        switch field.side {
        case .client: disputed.client
        case .server: disputed.server
        case .both, nil: try value(field.assignment)
        }
      values.updateValue(chosen, forKey: name)
      how.append(field.words)
    }
    let rest = merge.disputed.filter { !values.keys.contains($0.name) }
    if !rest.isEmpty {
      guard let side else { return nil }
      how.append(side.rawValue)
    }
    let item = merge.item(choosing: { field in
      values[field.name] ?? (side == .server ? field.server : field.client)
    })
    return Resolution(item: item, how: how.joined(separator: ", "))
  }
}
