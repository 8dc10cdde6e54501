import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct QueryCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Pull parts of tables instead of all their rows.",
    subcommands: [Show.self, Add.self, Remove.self], defaultSubcommand: Show.self)

  @OptionGroup var options: GlobalOptions

  func run(in context: Context) throws { try Show().run(in: context) }

  struct Show: TsyncCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Print the queries.", shouldDisplay: false)

    @OptionGroup var options: GlobalOptions

    func run(in context: Context) throws {
      context.printer.begin("queries")
      try context.open(for: .reading) { session in
        let state = try session.workspace.state()
        var table = Table(widths: [0, 0, 0])
        for query in session.queries {
          let count = try session.fitting(query)?.count
          let pulled = state.queries[query.name]
          let ago = pulled.map { Times.ago($0.ticks / Timestamp.perSecond, now: context.now) }
          let items = count.map { "\(counted($0, "item")), " } ?? ""
          table.append([
            Line(query.name.string), Line("\(query.table)"), Line(query.words),
            Line("\(items)\(ago.map { "pulled \($0)" } ?? "never pulled")"),
          ])
          context.printer.append(
            JSONObject([
              "name": query.name, "table": query.table, "filter": query.words, "items": count,
              "pulled": pulled?.inSeconds,
            ]), to: "queries")
        }
        table.lines.forEach(context.printer.result)
      }
    }
  }

  struct Add: TsyncCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Pull the rows that fit all filters.")

    @OptionGroup var options: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("An OData expression.", valueName: "expr"))
    var odata: String?

    @Flag(name: .shortAndLong, help: "Don't ask.")
    var yes = false

    @Argument(help: ArgumentHelp("The query's name.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("The filters.", valueName: "filter"))
    var filters: [String] = []

    var selection: [String] { ["add", name] }

    func run(in context: Context) throws {
      try context.open(for: .writing) { session in
        guard session.tables.count == 1, let table = session.tables.first else {
          throw Problem.usage(
            "the workspace has several tables: name the query's with -t",
            hints: ["its tables: \(session.tables.map(\.description).joined(separator: ", "))"])
        }
        let query = try Query(
          name: Text(name), table: table, filter: filters.map { Text($0) },
          odata: odata.map { Text($0) })
        let all = session.configuration.queries
        if let former = all.first(where: { $0.name == query.name }) {
          throw Problem.usage(
            "there is a query '\(name)' already: \(former.words)",
            hints: ["to remove it: \(typed: "query", "rm", name)"])
        }
        // The rows of a whole table may leave; what queries bring stays.
        var leaving = 0
        if !all.contains(where: { $0.table == table }) {
          let fitting = Set(try session.fitting(query) ?? [])
          leaving = try session.workspace.liveIDs(in: table).count { !fitting.contains($0) }
          let again = ["add", "-y", name] + filters + (odata.map { ["--odata", $0] } ?? [])
          guard try session.isMeant(leaving, yes, again) else { return }
        }
        var settings = try session.workspace.settings()
        try settings.set(query)
        try session.workspace.write(settings)
        try session.allow(leaving, of: table)
        context.printer.summary(Line("added query \(name) (\(table))"))
        context.printer.set("added", query.name)
      }
    }
  }

  struct Remove: TsyncCommand {
    static let configuration = CommandConfiguration(
      commandName: "rm", abstract: "Remove a query.")

    @OptionGroup var options: GlobalOptions

    @Flag(name: .shortAndLong, help: "Don't ask.")
    var yes = false

    @Argument(help: ArgumentHelp("The query's name.", valueName: "name"))
    var name: String

    var selection: [String] { ["rm", name] }

    func run(in context: Context) throws {
      try context.open(for: .writing) { session in
        let query = try session.query(named: name)
        let others = session.configuration.queries.filter {
          $0.table == query.table && $0.name != query.name
        }
        // Without any query the whole table is pulled, and nothing leaves.
        var leaving = 0
        if !others.isEmpty {
          let staying = try others.reduce(into: Set<ItemID>()) {
            $0.formUnion(try session.fitting($1) ?? [])
          }
          let ids = try session.fitting(query) ?? session.workspace.liveIDs(in: query.table)
          leaving = ids.count { !staying.contains($0) }
          let again = ["rm", "-y", name]
          guard try session.isMeant(leaving, yes, again) else { return }
        }
        var settings = try session.workspace.settings()
        try settings.remove(query)
        try session.workspace.write(settings)
        try session.allow(leaving, of: query.table)
        var state = try session.workspace.state()
        state.queries[query.name] = nil
        try session.workspace.write(state)
        context.printer.summary(Line("removed query \(name) (\(query.table))"))
        context.printer.set("removed", query.name)
      }
    }
  }
}

extension Session {
  /// All queries, with dates as they are now.
  var allQueries: [Query] { configuration.queries.map { $0.reading(dates: dates.span) } }

  /// The queries of the command's tables, by their names.
  fileprivate var queries: [Query] {
    configuration.queries.filter { tables.contains($0.table) }.sorted { $0.name < $1.name }
  }

  /// Returns the rows here that fit a query by tsync's own reading; `nil` if only the server can tell.
  fileprivate func fitting(_ query: Query) throws -> [ItemID]? {
    guard query.odata == nil else { return nil }
    let query = query.reading(dates: dates.span)
    return try workspace.liveIDs(in: query.table).filter { id in
      let item = try workspace.base(of: ItemKey(query.table, id)).item
      return item.map { query.fits(id, $0) == true } ?? false
    }
  }

  /// Records that so many rows may leave a table's queries.
  fileprivate mutating func allow(_ count: Int, of table: TableName) throws {
    if count > 0 { try workspace.append([.mayLeave(count)], to: table, durably: true) }
  }

  /// Asks whether so many items may leave the queries.
  ///
  /// - Throws: ``Problem`` if tsync can't ask, or the settings change meanwhile.
  fileprivate mutating func isMeant(
    _ count: Int, _ isSure: Bool, _ again: [String]
  ) throws -> Bool {
    guard count > 0, !isSure else { return true }
    let fact = "the next pull removes up to \(counted(count, "file"))"
    guard context.canAsk, !context.options.json else {
      throw Problem(
        .unsafe, fact,
        hints: ["to do it: \(typed: context.sameTables(["query"] + again))"])
    }
    let verb = again[0] == "rm" ? "remove" : again[0]
    let question = Line("\(fact); \(verb) the query? [y]es, [n]o: [n]")
    let (context, settings) = (context, try workspace.settings())
    guard try unlocked({ try context.ask(question, ["no", "yes"]) }) == "yes" else {
      context.printer.summary("nothing changed")
      return false
    }
    guard try workspace.settings() == settings else {
      throw Problem.changedMeanwhile(settings.place)
    }
    return true
  }
}

extension Session {
  /// Returns the query of a name, of the command's tables.
  ///
  /// - Throws: ``Problem`` if there is none.
  func query(named name: String) throws -> Query {
    guard let query = configuration.queries.first(where: { $0.name == Text(name) }) else {
      throw Problem.usage(
        "there is no query '\(name)'", hints: ["to list the queries: \(typed: "query")"])
    }
    guard tables.contains(query.table) else {
      throw Problem.usage("\(name) is a query of \(query.table)")
    }
    return query
  }
}

extension Query {
  /// Reads queries as they are typed: `NAME=FILTER`, or a filter alone, whose field is the name.
  ///
  /// A name that is given twice has both filters.
  static func all(of words: [String], in tables: [TableName]) throws -> [Query] {
    var filters: [(name: Text, filters: [Text])] = []
    for word in words {
      let bytes = Text(word).bytes
      let sign = bytes.firstIndex(of: UInt8(ascii: "="))
      func part(_ bytes: ArraySlice<UInt8>) -> Text { Text(String(decoding: bytes, as: UTF8.self)) }
      let rest = sign.map { part(bytes[($0 + 1)...]) }
      let isNamed = rest.map(Filter.isFilter) ?? false
      let filter = isNamed ? rest ?? "" : Text(word)
      if Text(word) == Filter.alternative || filter.string.utf8.firstRange(of: " or ".utf8) != nil {
        throw Problem.usage(
          "--query has no 'or'",
          hints: ["after the clone: \(typed: "query", "add", "NAME", "FILTER", "or", "FILTER")"])
      }
      let read: Filter
      do { read = try Filter(typed: filter) } catch {
        let problem = Problem(error)
        throw Problem(
          .usage, "--query \(word) is NAME=FILTER, and \(problem.fact)" as Hint,
          hints: problem.hints)
      }
      let name = isNamed ? part(bytes[..<(sign ?? 0)]) : read.field
      if let index = filters.firstIndex(where: { $0.name == name }) {
        filters[index].filters.append(filter)
      } else {
        filters.append((name, [filter]))
      }
    }
    guard filters.isEmpty || tables.count == 1 else {
      throw Problem.usage("--query needs a single table (-t)")
    }
    return try filters.map { try Query(name: $0.name, table: tables[0], filter: $0.filters) }
  }
}

extension SettingsFile {
  /// Adds a query.
  mutating func set(_ query: Query) throws {
    var object = JSONObject(["table": query.table])
    if let odata = query.odata {
      object.add(["odata": odata])
    } else {
      object.add(["filter": query.filter])
    }
    try set(key(of: query), to: .object(object))
  }

  /// Removes a query.
  mutating func remove(_ query: Query) throws { try set(key(of: query), to: nil) }

  private func key(of query: Query) throws -> SettingKey {
    guard let key = SettingKey(Text("query.\(query.name)")) else {
      throw Problem.usage("there is no setting 'query.\(query.name)'")
    }
    return key
  }
}
