import SyncModel

/// How a client sees rows: in which dialect, and with which columns.
package struct RowView: Sendable {
  /// The dialect.
  package let dialect: ServedDialect
  /// The system columns that are shown.
  private(set) var system: [RowColumn]
  /// The columns that were chosen by name; `nil` where all members are shown, and the id.
  private(set) var chosen: [RowColumn]?

  /// Reads what a request asks to see, whatever its method.
  ///
  /// - Throws: `TableError.badRequest` for an unknown column, and for an unknown option where the
  ///   dialect is strict.
  package init(_ query: QueryString, _ dialect: ServedDialect) throws(TableError) {
    self.dialect = dialect
    if dialect.isStrict { try Self.check(query) }
    system = dialect.shown
    guard !dialect.askable.isEmpty, let names = query.value(anyCase: QueryString.systemProperties)
    else { return }
    try ask(for: names, dialect.askable)
  }

  /// Takes the columns of a `__systemproperties`: names with or without their prefix, or `*`.
  private mutating func ask(for names: Text, _ askable: [RowColumn]) throws(TableError) {
    let parts = names.string.utf8.split(separator: UInt8(ascii: ","))
      .map { Text(String(Substring($0.trimmed))) }.filter { !$0.isEmpty }
    if parts == ["*"] {
      system += askable
      return
    }
    for part in parts {
      guard
        let (column, _) = RowColumn.system.first(where: { column, name in
          askable.contains(column) && [name, "__" + name].contains { part.isEqual(anyCase: $0) }
        })
      else { throw .badRequest("__systemproperties: there is no system column '\(part)'") }
      show(column)
    }
  }

  /// Refuses options that would have no meaning, whatever the method.
  private static func check(_ query: QueryString) throws(TableError) {
    let known = ListQuery.options + [QueryString.systemProperties, QueryString.includeDeleted]
    var seen: Set<String> = []
    for option in query.options where option.isReserved {
      let name = option.name
      guard let known = known.first(where: { name.isEqual(anyCase: $0) }) else {
        throw .badRequest("\(name): the option is unknown")
      }
      guard seen.insert(known).inserted else { throw .badRequest("\(name) appears twice") }
      guard
        known != QueryString.includeDeleted
          || ["true", "false"].contains(where: { option.value.isEqual(anyCase: $0) })
      else { throw .badRequest("\(name): it must be true or false") }
    }
  }
}

extension RowView {
  /// Shows one system column more.
  mutating func show(_ column: RowColumn) {
    if !system.contains(column) { system.append(column) }
  }

  /// Shows the columns of a `$select`, and the system columns that were asked for beside them.
  mutating func choose(_ columns: [RowColumn]?) {
    guard let columns else { return }
    chosen = columns
    system = system.filter { !dialect.shown.contains($0) } + columns
  }

  /// The view of one item: where options that have no meaning are refused, it can have a `$select`.
  ///
  /// - Throws: `TableError.badRequest` for an option of lists, or names that can't be read.
  func ofItem(_ query: QueryString) throws(TableError) -> RowView {
    guard dialect.isStrict else { return self }
    for name in query.options.map(\.name) where name.string.utf8.first == UInt8(ascii: "$") {
      guard name == "$select" else { throw .badRequest("\(name): the option is only for lists") }
    }
    var view = self
    view.choose(try ListQuery(query, columnPrefix: dialect.columnPrefix).columns)
    return view
  }

  /// The view of a client that must see the whole row: of a conflict.
  var whole: RowView {
    var view = self
    for column in dialect.shown + dialect.askable { view.show(column) }
    return view
  }
}

extension Substring.UTF8View {
  /// The text without the blanks around it.
  fileprivate var trimmed: Substring.UTF8View {
    var text = drop { $0 == 0x20 }
    while text.last == 0x20 { text = text.dropLast() }
    return text
  }
}
