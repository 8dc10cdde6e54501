extension Filter {
  /// Whether an item fits.
  package func fits(_ id: ItemID, _ item: Item) -> Bool {
    let json = field == Item.idField ? .string(id.text) : item[field]
    let value = values.first ?? ""
    switch comparison {
    case .equal: return Self.isEqual(json, value)
    case .notEqual: return !Self.isEqual(json, value)
    case .isIn: return values.contains { Self.isEqual(json, $0) }
    case .has: return json?.text.map { $0.contains(ignoringCase: value) } ?? false
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard let order = Self.order(json, value) else { return false }
      switch comparison {
      case .less: return order < 0
      case .lessOrEqual: return order <= 0
      case .greater: return order > 0
      default: return order >= 0
      }
    }
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
  private static func order(_ json: JSON?, _ value: Text) -> Int? {
    switch json {
    case .string(let text): text == value ? 0 : text < value ? -1 : 1
    case .number(let number):
      JSONNumber(value.string).map { number == $0 ? 0 : number < $0 ? -1 : 1 }
    default: nil
    }
  }
}

extension Text {
  /// Whether another text is a part of this one, the letters A to Z and a to z being the same.
  package func contains(ignoringCase part: Text) -> Bool {
    let text = bytes.map(Self.lowered)
    let part = part.bytes.map(Self.lowered)
    guard let first = part.first else { return true }
    guard text.count >= part.count else { return false }
    return (0...(text.count - part.count)).contains { start in
      text[start] == first && text[start...].starts(with: part)
    }
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}
