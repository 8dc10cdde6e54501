package import SyncModel

/// The name of a setting and the kind of its value; tsync-config(5).
package struct SettingKey: Hashable, Sendable {
  /// The kind of a value.
  package enum Kind: Hashable, Sendable {
    /// A text that is not empty.
    case text
    /// The address of a server.
    case address
    /// A list of tables' names.
    case tables
    /// `true` or `false`.
    case flag
    /// A whole number.
    case number(ClosedRange<Int>)
    /// One of some words.
    case choice([Text])
    /// A part of a table.
    case query
  }

  /// The name.
  package let name: Text
  /// What its value may be.
  package let kind: Kind

  /// Finds a setting; `nil` where there is none of that name.
  package init?(_ name: Text) {
    if let kind = Self.kinds.first(where: { $0.name == name })?.kind {
      self.kind = kind
    } else if Self.mergeParts(of: name) != nil {
      kind = Self.rule
    } else if Self.queryName(of: name) != nil {
      kind = .query
    } else {
      return nil
    }
    self.name = name
  }

  /// The names of all settings but those for single tables and fields, in alphabetical order.
  package static var names: [Text] { kinds.map(\.name) }

  /// Whether it counts only from the user's side: it runs a program or chooses credentials.
  package var isProtected: Bool {
    [
      "credential.command", "editor", "pager", "resolve.command", "resolve.tool",
    ].contains(name)
  }

  /// The table of a `merge.TABLE` and the field of a `merge.TABLE.FIELD`; `nil` for other names.
  static func mergeParts(of name: Text) -> (table: TableName, field: Text?)? {
    let parts = name.string.utf8.split(
      separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false
    ).map { Text(String(Substring($0))) }
    guard parts.count >= 2, parts[0] == "merge", let table = try? TableName(parts[1]),
      parts.count == 2 || !parts[2].isEmpty
    else { return nil }
    return (table, parts.count == 3 ? parts[2] : nil)
  }

  /// The name of the query in `query.NAME`; `nil` for other names.
  static func queryName(of name: Text) -> Text? {
    let start = Array("query.".utf8)
    guard name.bytes.starts(with: start) else { return nil }
    return Text(decoding: name.bytes.dropFirst(start.count))
  }

  /// Reads a query from its setting.
  ///
  /// - Throws: What it must be.
  static func query(_ name: Text, _ value: JSON) throws(NameError) -> Query {
    let object = value.object ?? JSONObject()
    guard let table = object["table"]?.text, object["filter"] == nil || object["odata"] == nil,
      object.members.allSatisfy({ ["table", "filter", "odata"].contains($0.name) }),
      let words = (object["filter"] ?? []).elements, words.allSatisfy({ $0.text != nil }),
      object["odata"] == nil || object["odata"]?.text != nil
    else { throw NameError("query.\(name) must be \(Kind.query.words)") }
    return try Query(
      name: name, table: TableName(table), filter: words.compactMap(\.text),
      odata: object["odata"]?.text)
  }

  private static let rule = Kind.choice(MergePolicy.Rule.allCases.map { Text($0.rawValue) })

  private static let kinds: [(name: Text, kind: Kind)] = [
    ("color", .choice(["auto", "always", "never"])),
    ("credential.command", .text),
    (
      "dialect",
      .choice(["auto", "mobile-services", "mobile-apps", "datasync", "community-toolkit"])
    ),
    ("done.field", .text),
    ("editor", .text),
    ("list.columns", .text),
    ("list.sort", .text),
    ("merge", rule),
    ("pager", .text),
    ("pull.overlap", .number(0...86_400)),  // seconds
    ("pull.page", .number(1...1_000)),  // rows a request
    ("pull.push", .flag),
    ("push.jobs", .number(1...128)),  // requests at a time
    ("remote", .address),
    ("resolve.command", .text),
    ("resolve.tool", .text),
    ("tables", .tables),
    ("timeout", .number(1...3_600)),  // seconds
    ("title.field", .text),
    ("who.field", .text),
  ]
}

extension SettingKey {
  /// Makes sure that a value may be this setting's.
  ///
  /// - Throws: What it must be.
  package func check(_ value: JSON) throws(NameError) {
    switch kind {
    case .text where value.text?.isEmpty == false: return
    case .address where value.text.map(Self.isAddress) == true: return
    case .flag where value.boolean != nil: return
    case .number(let range) where value.integer.map(range.contains) == true: return
    case .choice(let words) where value.text.map(words.contains) == true: return
    case .query:
      _ = try Self.query(Self.queryName(of: name) ?? "", value)
      return
    case .tables:
      guard let elements = value.elements else { break }
      let names = elements.compactMap(\.text).compactMap { try? TableName($0) }
      if names.count == elements.count, !names.isEmpty { return }
    default: break
    }
    throw NameError("\(name) must be \(kind.words)")
  }

  /// Reads a value as a person types it on a command line.
  ///
  /// - Throws: What it must be.
  package func value(from text: Text) throws(NameError) -> JSON {
    let value: JSON
    switch kind {
    case .text, .address, .choice: value = .string(text)
    case .flag, .number, .query: value = (try? JSON(parsing: text.bytes)) ?? .string(text)
    case .tables:
      value = .array(
        text.string.utf8.split(separator: UInt8(ascii: ",")).map { .string(String(Substring($0))) })
    }
    try check(value)
    return value
  }

  private static func isAddress(_ text: Text) -> Bool {
    let bytes = text.bytes
    let scheme = ["http://", "https://"].map { Array($0.utf8) }.first { bytes.starts(with: $0) }
    guard let scheme, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
    let authority = bytes.dropFirst(scheme.count).prefix { $0 != UInt8(ascii: "/") }
    return !authority.isEmpty && !authority.contains(UInt8(ascii: "@"))
  }
}

extension SettingKey.Kind {
  /// What a value must be, in words for people.
  fileprivate var words: String {
    switch self {
    case .text: "a non-empty string"
    case .address: "an address that begins with http:// or https://, without a user name"
    case .tables: "a list of table names"
    case .flag: "true or false"
    case .query: #"an object such as {"table":"todoitem","filter":["complete=false"]}"#
    case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .choice(let words): "one of " + words.map(\.string).joined(separator: ", ")
    }
  }
}
