import SyncEngine
import SyncModel

/// What the command line says about conflicts: a side that wins, and what single fields shall be.
struct Instruction {
  /// What one field shall be.
  private struct Field {
    let assignment: Assignment
    let side: Verdict.Side?
    let words: String
  }

  /// The side that wins, in the fields that aren't named.
  private let side: Verdict.Side?
  private let fields: [Field]

  /// What says nothing.
  static let none = Instruction()

  private init() {
    side = nil
    fields = []
  }

  /// Whether it says anything.
  var isEmpty: Bool { side == nil && fields.isEmpty }

  /// Reads what stands behind `-f`: `FIELD=client`, `FIELD=server`, `FIELD=VALUE`, `FIELD:=JSON`.
  ///
  /// - Throws: ``Failure``.
  init(side: Verdict.Side?, fields words: [String]) throws {
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

  /// Whether both sides are to be kept.
  var keepsBoth: Bool { side == .both }

  /// The names of the fields that it speaks of.
  var names: [Text] { fields.map(\.assignment.field) }

  /// Returns how a conflict is settled; `nil` where the instruction leaves something open.
  ///
  /// Where both are kept the new item gets the id; `value` gives what an assignment makes of its
  /// field, `nil` where it removes it.
  func verdict(
    for conflict: Conflict, id: ItemID, value: (Assignment) throws -> JSON?
  ) throws -> Verdict? {
    guard !fields.isEmpty else { return side.flatMap { Verdict($0, in: conflict, id: id) } }
    // Where one side deleted the item there are no fields to choose.
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
    let item = merge.item(taking: { field in
      values[field.name] ?? (side == .server ? field.server : field.client)
    })
    return Verdict(item: item, how: how.joined(separator: ", "))
  }
}
