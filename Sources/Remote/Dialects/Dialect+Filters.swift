import SyncModel

// Conditions in the words of a dialect; tsync-filter(7).
extension Dialect {
  /// Returns a condition in the words of `$filter`.
  ///
  /// The `sample`, a value that the field has in some row, says the type; without one, the value's look does.
  /// An empty value means a field that is absent, null or an empty text. `has` ignores case. Dates that are
  /// `bare` stand without quotes.
  ///
  /// - Throws: What can't be said.
  func words(
    of filter: Filter, like sample: JSON?, datesAreBare isBare: Bool = false
  ) throws(NameError) -> String {
    let name = try name(of: filter.field)
    let value = filter.values.first ?? ""
    if value.isEmpty, [.equal, .notEqual].contains(filter.comparison) {
      return Self.emptiness(
        name, filter.comparison == .equal, isText: sample?.text != nil && !isBare)
    }
    if let text = sample?.text, !text.isEmpty, !filter.dates.isEmpty {
      let isDate = DateSpan.isDate(text)
      // By its bytes, a word such as "today" comes after each date.
      let wrong = zip(filter.values, filter.dates).first { value, date in
        isDate ? date == nil : date != nil && !DateSpan.isDate(value)
      }
      if let (other, _) = wrong {
        let fact = isDate ? "a date in some row, and '\(other)' is not" : "not a date in each row"
        let word = "\(filter.field)\(filter.comparison.rawValue)=\"\(other)\""
        throw NameError("\(filter.field) is \(fact)" + (isBare ? "" : "; as a text: '\(word)'"))
      }
      if isDate, let words = words(of: filter, name, areDays: CivilDate(text) != nil, isBare) {
        return words
      }
    }
    switch (filter.comparison, sample) {
    case (.has, .array(let elements)):
      guard !usesSubstring else {
        throw NameError("this server can't be asked for parts of a list, such as \(filter.field)")
      }
      return "\(name)/any(t:t eq \(try literal(value, filter, like: elements.first ?? "")))"
    case (.has, .number), (.has, .bool):
      throw NameError("\(filter.field) is no text, which .has looks into")
    case (.less, .bool), (.lessOrEqual, .bool), (.greater, .bool), (.greaterOrEqual, .bool):
      throw NameError("\(filter.field) is true or false, which has no order")
    default: break
    }
    switch filter.comparison {
    case .has:
      let part = literal(Text(value.string.lowercased()))
      return usesSubstring
        ? "substringof(\(part),tolower(\(name)))" : "contains(tolower(\(name)),\(part))"
    case .isIn:
      var parts: [String] = []
      for value in filter.values {
        parts.append("(\(name) eq \(try literal(value, filter, like: sample)))")
      }
      return parts.joined(separator: " or ")
    case .notEqual:
      return "(\(name) ne \(try literal(value, filter, like: sample))) or (\(name) eq null)"
    case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual:
      let word = filter.comparison == .equal ? "eq" : "\(filter.comparison.rawValue.dropFirst())"
      return "\(name) \(word) \(try literal(value, filter, like: sample))"
    }
  }

  /// Returns a condition on a field of dates, which are days or else times; `nil` if a value is no day.
  private func words(
    of filter: Filter, _ name: Text, areDays: Bool, _ isBare: Bool
  ) -> String? {
    let dates = filter.dates.compactMap(\.self)
    guard !dates.isEmpty, dates.count == filter.values.count,
      isBare || dates.allSatisfy(\.isDay)
    else {
      return nil
    }
    func literal(_ text: Text) -> String { isBare ? text.string : self.literal(text) }
    func from(_ date: DateSpan) -> String {
      literal(areDays ? date.day.text : Timestamp(ticks: date.start).text)
    }
    func to(_ date: DateSpan) -> String {
      let next = CivilDate(daysSince1970: date.day.daysSince1970 + 1)
      return literal(areDays ? next.text : Timestamp(ticks: date.end).text)
    }
    let date = dates[0]
    // An empty text comes before each date, and is none.
    let isSome = isBare ? "" : " and (\(name) ne '')"
    switch filter.comparison {
    case .equal, .isIn:
      let days = dates.map { "(\(name) ge \(from($0))) and (\(name) lt \(to($0)))" }
      return days.count == 1 ? days[0] : days.map { "(\($0))" }.joined(separator: " or ")
    case .notEqual:
      return "(\(name) lt \(from(date))) or (\(name) ge \(to(date))) or (\(name) eq null)"
    case .less: return "(\(name) lt \(from(date)))\(isSome)"
    case .lessOrEqual: return "(\(name) lt \(to(date)))\(isSome)"
    case .greater: return "\(name) ge \(to(date))"
    case .greaterOrEqual: return "\(name) ge \(from(date))"
    case .has: return nil
    }
  }

  /// Returns the name of a field, or the path of a member, as it stands in a condition.
  ///
  /// - Throws: Where no condition can have it.
  func name(of field: Text) throws(NameError) -> Text {
    let steps = FieldPath(reading: field)?.steps ?? [field]
    let isPlain = steps.allSatisfy { step in
      step.bytes.first?.isDigit == false
        && step.bytes.allSatisfy { byte in
          byte == UInt8(ascii: "_") || byte.isDigit || (0x41...0x5A).contains(byte & 0xDF)
        }
    }
    guard isPlain else {
      throw NameError("a query can't ask for the field '\(field)' (for OData: --odata)")
    }
    guard steps.count == 1 || !usesSubstring else {
      throw NameError("this server can't be asked for members of a field, such as \(field)")
    }
    return Text(steps.map(\.string).joined(separator: "/"))
  }

  private static func emptiness(_ name: Text, _ isEmpty: Bool, isText: Bool) -> String {
    guard isText else { return "\(name) \(isEmpty ? "eq" : "ne") null" }
    return isEmpty
      ? "(\(name) eq null) or (\(name) eq '')" : "(\(name) ne null) and (\(name) ne '')"
  }

  private func literal(
    _ value: Text, _ filter: Filter, like sample: JSON?
  ) throws(NameError) -> String {
    let json = (try? JSON(parsing: value.bytes)) ?? .null
    switch sample {
    case .string: return literal(value)
    case nil where filter.isQuoted || filter.field == Item.idField: return literal(value)
    case .number, .bool, nil:
      let isOfType =
        switch (sample, json) {
        case (.number, .number), (.bool, .bool), (nil, .number), (nil, .bool): true
        default: false
        }
      guard !isOfType || filter.isQuoted else { return value.string }
      guard sample == nil else {
        let type = sample?.boolean == nil ? "a number" : "true or false"
        throw NameError("\(filter.field) is \(type), and '\(value)' is not")
      }
      return literal(value)
    case .null, .array, .object:
      throw NameError("a query can't ask for the field '\(filter.field)' (for OData: --odata)")
    }
  }
}
