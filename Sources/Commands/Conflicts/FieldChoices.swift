import SyncEngine
import SyncModel

/// The command line's choice for conflicts: a side that wins, and values at single places.
struct FieldChoices {
  /// The side that wins everywhere else.
  let side: Resolution.Side?
  private let places: [Assignment]

  /// Parses the words of `-f`: `PATH=client`, `PATH=server`, `PATH=VALUE`, `PATH:=JSON`.
  init(side: Resolution.Side?, fields words: [String]) throws {
    self.side = side
    places = try words.map { try Assignment($0) }
    guard side != .both || places.isEmpty else {
      throw Problem.usage("--both and --field can't be mixed")
    }
  }

  init() { (side, places) = (nil, []) }

  var isEmpty: Bool { side == nil && places.isEmpty }

  /// Refuses a place at which none of some conflicts is.
  func check(_ conflicts: [Conflict]) throws {
    // If one side deleted the item, there are no places to choose; it is left.
    for place in places
    where !conflicts.contains(where: { $0.fields == nil || place.path(in: $0) != nil }) {
      var seen: Set<Text> = []
      let paths = conflicts.flatMap(\.names).filter { seen.insert($0).inserted }
      let names = paths.map(\.string).joined(separator: ", ")
      throw Problem.usage(
        "\(place.field) is not in conflict\(names.isEmpty ? "" : "; in conflict: \(names)")")
    }
  }

  /// Returns the resolution of a conflict; `nil` if the choices leave something open.
  func resolution(of conflict: Conflict, _ key: ItemKey, in session: Session) throws -> Resolution?
  {
    guard !places.isEmpty else {
      return try side.flatMap { try session.resolution($0, of: conflict, key) }
    }
    // If one side deleted the item, there are no places to choose.
    guard let merge = conflict.fields else { return nil }
    var choices: [FieldPath: FieldMerge.Choice] = [:]
    var how: [String] = []
    for place in places {
      guard let path = place.path(in: conflict) else { continue }
      choices[path] = try place.choice(at: path, in: merge, key)
      how.append("\(path): \(place.words)")
    }
    let paths = merge.disputes.map(\.path)
    if !paths.allSatisfy({ path in choices.keys.contains { path.isWithin($0) } }) {
      guard let side else { return nil }
      how.append(side.rawValue)
    }
    let item = merge.item(taking: side == .server ? .server : .client, choices)
    return Resolution(item: item, how: how.joined(separator: ", "))
  }
}

extension Assignment {
  /// The place that the word names, if something there is in conflict: a field, else a path.
  fileprivate func path(in conflict: Conflict) -> FieldPath? {
    let paths = conflict.fields?.disputes.map(\.path) ?? []
    return [FieldPath(field), FieldPath(reading: field)].compactMap { $0 }
      .first { place in paths.contains { $0.isWithin(place) } }
  }

  /// Returns what is chosen; a value is of the type of what stands there, by preference here.
  fileprivate func choice(
    at path: FieldPath, in merge: FieldMerge, _ key: ItemKey
  ) throws -> FieldMerge.Choice {
    let values = merge.tree(at: path)?.values
    let samples = [values?.client, values?.server, values?.base].compactMap { $0 ?? nil }
    let isElement = merge.isElement(path)
    // An element keeps its id.
    func checked(_ value: JSON) throws -> FieldMerge.Choice {
      let id = samples.first?.object?[Item.idField]
      guard !isElement || value.object?[Item.idField] == id else {
        let id = String(decoding: (id ?? .null).encoded(), as: UTF8.self)
        throw Problem.usage("\(path) must be an object with the id \(id)")
      }
      return .value(value)
    }
    switch value {
    case .typed("client"): return .side(.client)
    case .typed("server"): return .side(.server)
    case .typed(let word)
    where ["client", "server", "base", "both"].contains(word.string.lowercased()):
      throw Problem.usage(
        "'\(word)' is no choice: client, server, or a value",
        hints: ["to set this text: \(typed: "resolve", "-f", "\(field):=\"\(word)\"")"])
    case .json(let json): return try checked(json)
    case .none: return .value(path.steps.count > 1 && !isElement ? .null : nil)
    case .added, .removed: throw Problem.usage("\(field) must be client, server or a value")
    case .typed(let text):
      let sample = samples.first { !$0.isNull } ?? .null
      return try checked(Assignment.value(text, like: sample, field: field, of: key))
    }
  }

  /// The value for people: `client`, `2026-03-10`, `null`.
  fileprivate var words: String {
    switch value {
    case .typed(let text), .added(let text), .removed(let text): text.string
    case .json(let json): String(decoding: json.encoded(), as: UTF8.self)
    case .none: "null"
    }
  }
}
