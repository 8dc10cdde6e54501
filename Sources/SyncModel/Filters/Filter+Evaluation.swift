extension Filter {
  /// Whether an item fits.
  package func fits(_ id: ItemID, _ item: Item) -> Bool {
    guard !field.isEmpty else { return JSON.object(item.fields).hasText(values.first ?? "") }
    let json = field == Item.idField ? .string(id.text) : item.value(named: field)
    switch comparison {
    case .equal: return isEqual(json, 0)
    case .notEqual: return !isEqual(json, 0)
    case .isIn: return values.indices.contains { isEqual(json, $0) }
    case .has:
      let value = values.first ?? ""
      if let elements = json?.elements { return elements.contains { Self.isEqual($0, value) } }
      return json?.text?.contains(ignoringCase: value) ?? false
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard let order = order(json) else { return false }
      switch comparison {
      case .less: return order < 0
      case .lessOrEqual: return order <= 0
      case .greater: return order > 0
      default: return order >= 0
      }
    }
  }

  private func isEqual(_ json: JSON?, _ index: Int) -> Bool {
    if let date = date(index), let order = json?.text.flatMap(date.order) { return order == 0 }
    return Self.isEqual(json, values[index])
  }

  /// Whether a field has a value; an empty value is that of a field that is absent, `null` or an
  /// empty text.
  private static func isEqual(_ json: JSON?, _ value: Text) -> Bool {
    guard let json else { return value.isEmpty }
    switch json {
    case .null: return value.isEmpty
    case .string(let text): return text == value
    case .number(let number): return JSONNumber(value.string) == number
    case .bool(let flag): return value == (flag ? "true" : "false")
    case .array, .object: return (try? JSON(parsing: value.bytes)) == json
    }
  }

  /// Returns less than, equal to or greater than 0, as the field is to the value; `nil` where they
  /// have no order.
  private func order(_ json: JSON?) -> Int? {
    let value = values.first ?? ""
    switch json {
    case .string(let text):
      if let date = date(0) {
        if text.isEmpty { return nil }
        if let order = date.order(text) { return order }
      }
      return text == value ? 0 : text < value ? -1 : 1
    case .number(let number):
      return JSONNumber(value.string).map { number == $0 ? 0 : number < $0 ? -1 : 1 }
    default: return nil
    }
  }

  private func date(_ index: Int) -> DateSpan? { dates.isEmpty ? nil : dates[index] }
}

extension JSON {
  /// Whether a text is a part of one of the texts in it, upper or lower case.
  fileprivate func hasText(_ part: Text) -> Bool {
    switch self {
    case .string(let text): text.contains(ignoringCase: part)
    case .array(let elements): elements.contains { $0.hasText(part) }
    case .object(let object): object.members.contains { $0.value.hasText(part) }
    default: false
    }
  }
}

extension Text {
  /// Whether another text is a part of this one, the letters A to Z and a to z being the same.
  package func contains(ignoringCase part: Text) -> Bool {
    let text = bytes.map(\.lowered)
    let part = part.bytes.map(\.lowered)
    guard let first = part.first else { return true }
    guard text.count >= part.count else { return false }
    return (0...(text.count - part.count)).contains { start in
      text[start] == first && text[start...].starts(with: part)
    }
  }
}
