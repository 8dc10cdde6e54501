import SyncModel
import TestSupport

/// Draws items that share much, with odd names and texts of few or of many different lines.
struct RandomItems {
  var random: SplitMix64
  private var fresh = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private static let names: [Text] = [
    "a", "b", "c", "a.b", "e=f", "x y", "quote\"", "", "\u{e9}", "e\u{301}", "line\nfeed", "\"\"\"",
    "<<<<<<< client",
  ]
  private static let few = ["a", "b", "", "\tb", "=======", "<<<<<<< client", "say \"\"\" },{"]
  // No text with one of these is a block.
  private static let odd = ["c\r", "\u{1}", "\u{85}", " \"\"\"", "\"\"\"", "\"\"\" x", "a\rb"]

  mutating func triple() -> (base: Item?, client: Item, server: Item) {
    let old = object(depth: 2)
    let sides = (0..<2).map { _ in Item(random.once(in: 8) ? old : edited(old)) }
    return (random.once(in: 8) ? nil : Item(old), sides[0], sides[1])
  }

  mutating func side() -> Side { Side.allCases[random.below(3)] }

  mutating func choices(_ merge: FieldMerge) -> [FieldPath: FieldMerge.Choice] {
    var choices: [FieldPath: FieldMerge.Choice] = [:]
    for path in merge.disputes.map(\.path) where !random.once(in: 4) {
      let place = random.once(in: 6) ? FieldPath(path.field) : path
      let value: JSON? = random.once(in: 2) || merge.isElement(place) ? nil : 9
      choices[place] = random.once(in: 4) ? .value(value) : .side(side())
    }
    return choices
  }

  mutating func policy() -> MergePolicy {
    let rules = Self.names.prefix(4).map { ($0, MergePolicy.Rule.allCases[random.below(4)]) }
    return MergePolicy(fields: Dictionary(rules) { $1 })
  }

  mutating func name() -> Text { Self.names[random.below(Self.names.count)] }

  /// Draws a text of what a reader may stumble over.
  mutating func word() -> Text {
    let parts = [
      "a", ".", "\"", "\\", "\\u00", "=", " ", "\t", "\n", "\n", "\r", "\u{85}", "\u{e9}", "\"\"\"",
      "\"a.b\"", "e\u{301}",
    ]
    return Text((0..<random.below(9)).map { _ in parts[random.below(parts.count)] }.joined())
  }

  mutating func object(depth: Int) -> JSONObject {
    let names = Self.names.shuffled(using: &random).prefix(random.below(8))
    return JSONObject(names.map { .init(name: $0, value: value(depth: depth)) })
  }

  mutating func value(depth: Int) -> JSON {
    switch random.below(depth > 0 ? 12 : 7) {
    case 0: .integer(random.below(3))
    case 1: [.null, true][random.below(2)]
    case 2: .array((0..<random.below(3)).map { _ in value(depth: depth - 1) })
    case 3: .string(["", "one line"][random.below(2)])
    case 4...6: .string(text())
    case 7...8: .array(elements(areTexts: random.once(in: 2), depth: depth - 1))
    default: .object(object(depth: depth - 1))
    }
  }

  /// Draws texts, or objects with ids, each once.
  private mutating func elements(areTexts: Bool, depth: Int) -> [JSON] {
    Self.names.shuffled(using: &random).prefix(random.below(5)).map { name in
      if areTexts { return .string(name) }
      var object = object(depth: depth)
      object[Item.idField] = .string(name)
      return .object(object)
    }
  }

  mutating func text() -> Text {
    let isPoor = random.once(in: 3)
    let lines = (0..<1 + random.below(9)).map { isPoor ? few() : "line \($0)" }
    return Text(edited(lines, once: 50).joined(separator: "\n") + (random.once(in: 2) ? "\n" : ""))
  }

  private mutating func few() -> String { Self.few[random.below(Self.few.count)] }

  private mutating func edited(_ object: JSONObject) -> JSONObject {
    var edited = JSONObject()
    for member in object.members where !random.once(in: 10) {
      edited.append(member.name, self.edited(member.value))
    }
    if random.once(in: 3) { edited[name()] = value(depth: 1) }
    return edited
  }

  private mutating func edited(_ value: JSON) -> JSON {
    if random.once(in: 5) { return value }
    if random.once(in: 15) { return self.value(depth: 1) }
    switch value {
    case .object(let object): return .object(edited(object))
    case .number: return .integer(random.below(4))
    case .array(let elements): return .array(edited(elements))
    case .string(let text):
      let lines = text.string.split(separator: "\n", omittingEmptySubsequences: false)
      return .string(Text(edited(lines.map(String.init), once: 4).joined(separator: "\n")))
    default: return value
    }
  }

  /// Takes elements away, changes those with ids, adds some, and at times changes the order.
  private mutating func edited(_ elements: [JSON]) -> [JSON] {
    var edited = elements.compactMap { element -> JSON? in
      if random.once(in: 6) { return nil }
      guard let id = element.object?[Item.idField], var object = self.edited(element).object else {
        return element
      }
      object[Item.idField] = id
      return .object(object)
    }
    let new = self.elements(areTexts: elements.first?.text != nil, depth: 0).prefix(random.below(2))
    edited.insert(contentsOf: new, at: random.below(edited.count + 1))
    if random.once(in: 12) { edited.reverse() }
    return edited
  }

  /// Takes lines away and adds some, each about once in so many.
  private mutating func edited(_ lines: [String], once times: Int) -> [String] {
    lines.flatMap { line -> [String] in
      guard random.once(in: times) else { return [line] }
      fresh += 1
      let new = ["new \(fresh)", "new \(fresh)", "both", few()][random.below(4)]
      let other = random.once(in: 20) ? Self.odd[random.below(Self.odd.count)] : new
      return [[], [other], [line, other], [other, line]][random.below(4)]
    }
  }
}

extension Item {
  var whole: JSON { .object(JSONObject(values.map { .init(name: $0, value: $1) })) }

  /// The bytes of its text, sorted: the order of lists is the client's.
  var bytes: [UInt8] { whole.encoded().sorted() }
}
