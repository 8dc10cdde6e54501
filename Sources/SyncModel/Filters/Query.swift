/// A named part of a table, which is pulled in its stead (tsync-query(1)).
package struct Query: Equatable, Sendable {
  /// The name.
  package let name: Text
  /// The table.
  package let table: TableName
  /// The conditions as people write them, all of which must hold, or all on one side of an `or`; none where
  /// ``odata`` says it.
  package let filter: [Text]
  /// The same, read, by the groups between each `or`; what stands in quotes is a text without them.
  package private(set) var groups: [[Filter]]
  /// A condition in the server's words; `nil` where ``filter`` says it.
  package let odata: Text?

  /// Makes a query of conditions, or of one in the server's words.
  ///
  /// - Throws: What is wrong with the name or a condition.
  package init(
    name: Text, table: TableName, filter: [Text] = [], odata: Text? = nil
  ) throws(NameError) {
    guard Self.isName(name) else {
      throw NameError("'\(name)' is not a query's name: use letters, digits, '-' and '_'")
    }
    guard filter.isEmpty != (odata?.isEmpty ?? true) else {
      throw NameError("the query \(name) must have either a filter or an OData expression")
    }
    (self.name, self.table, self.filter, self.odata) = (name, table, filter, odata)
    do throws(FilterError) {
      groups = try Filter.groups(filter).map { words throws(FilterError) in
        try words.map(Self.condition)
      }
    } catch {
      throw NameError(error.description)
    }
  }

  /// How many values one condition may have: all of them go into the address of each request.
  static let values = 20

  /// The query as people write it.
  package var words: String { odata?.string ?? filter.map(\.string).joined(separator: " ") }

  /// Whether an item fits by tsync's own reading; `nil` where only the server can tell.
  package func fits(_ id: ItemID, _ item: Item) -> Bool? {
    odata == nil ? groups.contains { $0.allSatisfy { $0.fits(id, item) } } : nil
  }

  /// The query with what its values mean as dates.
  package func reading(dates date: (Text) -> DateSpan?) -> Query {
    var query = self
    query.groups = groups.map { $0.map { $0.reading(dates: date) } }
    return query
  }

  private static func isName(_ name: Text) -> Bool {
    !name.isEmpty
      && name.bytes.allSatisfy {
        "-_".utf8.contains($0) || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF)
      }
  }

  private static func condition(_ word: Text) throws(FilterError) -> Filter {
    let condition = try Filter(word).unquoted
    guard !SystemField.contains(condition.field) else {
      throw FilterError(
        "\(condition.field) is a system field; to ask for it: tsync query add NAME --odata EXPR")
    }
    guard condition.values.count <= Self.values else {
      throw FilterError("\(word) has more than \(Self.values) values")
    }
    return condition
  }
}

extension Filter {
  /// The filter with the texts that stand in quotes.
  fileprivate var unquoted: Filter {
    let texts = values.map { (try? JSON(parsing: $0.bytes))?.text }
    guard !texts.contains(nil) else { return self }
    var filter = self
    filter.values = texts.compactMap(\.self)
    filter.isQuoted = true
    return filter
  }
}
