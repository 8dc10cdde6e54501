import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct QueryCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Pull parts of tables instead of all their rows.",
    subcommands: [Show.self, Add.self, Replace.self, Remove.self], defaultSubcommand: Show.self)

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
          let count = try session.fitting(query, on: session.workspace)?.count
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

  /// The arguments of `add` and `set`.
  struct Definition: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("An OData expression.", valueName: "expr"))
    var odata: String?

    @Flag(name: .shortAndLong, help: "Don't ask.")
    var yes = false

    @Argument(help: ArgumentHelp("The query's name.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("The filters.", valueName: "filter"))
    var filters: [String] = []

    /// Returns the query of a table; throws `NameError` if a name or a filter is wrong.
    func query(of table: TableName) throws -> Query {
      try Query(
        name: Text(name), table: table, filter: filters.map { Text($0) },
        odata: odata.map { Text($0) })
    }

    /// Returns the words that give the command again, and ask nothing.
    func again(_ verb: String) -> [String] {
      [verb, "-y", name] + filters + (odata.map { ["--odata", $0] } ?? [])
    }
  }

  struct Add: TsyncCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Pull the rows that fit all filters.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var definition: Definition

    var selection: [String] { ["add", definition.name] }

    func run(in context: Context) throws {
      try context.open(for: .writing) { session in
        guard session.tables.count == 1, let table = session.tables.first else {
          throw Problem.usage(
            "the workspace has several tables: name the query's with -t",
            hints: ["its tables: \(session.tables.map(\.description).joined(separator: ", "))"])
        }
        let query = try definition.query(of: table)
        if let former = session.configuration.queries.first(where: { $0.name == query.name }) {
          throw Problem.usage(
            "there is a query '\(query.name)' already: \(former.words)",
            hints: ["to change it: \(typed: "query", "set", definition.name, "FILTER")"])
        }
        try session.replace(nil, by: query, definition.yes, definition.again("add"))
      }
    }
  }

  struct Replace: TsyncCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Replace the filters of a query.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var definition: Definition

    var selection: [String] { ["set", definition.name] }

    func run(in context: Context) throws {
      try context.open(for: .writing) { session in
        let former = try session.query(named: definition.name)
        let query = try definition.query(of: former.table)
        guard query != former else { return context.printer.summary("nothing changed") }
        try session.replace(former, by: query, definition.yes, definition.again("set"))
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
        try session.replace(query, by: nil, yes, ["rm", "-y", name])
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
  func fitting(_ query: Query, on disk: some RowDisk) throws -> [ItemID]? {
    guard query.odata == nil else { return nil }
    let query = query.reading(dates: dates.span)
    return try disk.liveIDs(in: query.table).filter { id in
      try disk.base(of: ItemKey(query.table, id)).item.flatMap { query.fits(id, $0) } == true
    }
  }

  /// Replaces a query by another one, and asks first if files would go; `nil` stands for no query.
  ///
  /// `again` is the command that does not ask.
  ///
  /// - Throws: ``Problem`` if tsync can't ask, or the settings change meanwhile.
  fileprivate mutating func replace(
    _ former: Query?, by query: Query?, _ isSure: Bool, _ again: [String]
  ) throws {
    guard let (name, table) = (query ?? former).map({ ($0.name, $0.table) }) else { return }
    let (verb, deed) =
      former == nil
      ? ("add", "added") : query == nil ? ("remove", "removed") : ("change", "changed")
    let all = configuration.queries.filter { $0.table == table }
    let staying = all.filter { $0.name != name } + (query.map { [$0] } ?? [])
    // With a first query the rows of a whole table may leave; without any query none does.
    var leaving = 0
    if !staying.isEmpty, former != nil || all.isEmpty {
      let kept = try staying.reduce(into: Set<ItemID>()) {
        $0.formUnion(try fitting($1, on: workspace) ?? [])
      }
      let ids =
        try former.flatMap { try fitting($0, on: workspace) } ?? workspace.liveIDs(in: table)
      leaving = ids.count { !kept.contains($0) }
    }
    guard try isMeant(leaving, isSure, to: verb, again) else { return }
    var settings = try workspace.settings()
    if let query { try settings.set(query) } else if let former { try settings.remove(former) }
    try workspace.write(settings)
    if leaving > 0 { try workspace.append([.mayLeave(leaving)], to: table, durably: true) }
    if former != nil {
      var state = try workspace.state()
      state.queries[name] = nil
      try workspace.write(state)
    }
    context.printer.summary(Line("\(deed) query \(name) (\(table))"))
    context.printer.set(Text(deed), name)
  }

  /// Asks whether so many items may leave the queries.
  ///
  /// - Throws: ``Problem`` if tsync can't ask, or the settings change meanwhile.
  private mutating func isMeant(
    _ count: Int, _ isSure: Bool, to verb: String, _ again: [String]
  ) throws -> Bool {
    guard count > 0, !isSure else { return true }
    let fact = "the next pull removes up to \(counted(count, "file")); the server keeps the rows"
    guard context.canAsk, !context.options.json else {
      throw Problem(
        .unsafe, fact,
        hints: ["to do it: \(typed: context.sameTables(["query"] + again))"])
    }
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
      let parts = word.split(separator: "=", maxSplits: 1).map { Text(String($0)) }
      let isNamed = parts.count == 2 && Filter.isFilter(parts[1])
      let filter = isNamed ? parts[1] : Text(word)
      if Text(word) == Filter.alternative || Filter.goesOn(filter.string) {
        throw Problem.usage(
          "--query has no 'or'",
          hints: ["after the clone: \(typed: "query", "add", "NAME", "FILTER", "or", "FILTER")"])
      }
      let read: Filter
      do throws(FilterError) { read = try Filter(filter) } catch {
        throw Problem.usage("--query \(word) is NAME=FILTER, and \(error)")
      }
      let name = isNamed ? parts[0] : read.field
      if let index = filters.firstIndex(where: { $0.name == name }) {
        filters[index].filters.append(filter)
      } else {
        filters.append((name, [filter]))
      }
    }
    guard filters.isEmpty || tables.count == 1 else {
      throw Problem.usage("--query needs a single table (-t)")
    }
    return try filters.map { filter in
      do throws(NameError) {
        return try Query(name: filter.name, table: tables[0], filter: filter.filters)
      } catch {
        // A member's path can't be a name.
        let isPath = filter.name.bytes.contains(UInt8(ascii: "."))
        let way: Hint = "to give it a name: --query \(shell: "NAME=\(filter.filters[0])")"
        throw Problem.usage(error.description, hints: isPath ? [way] : [])
      }
    }
  }
}

extension Filter {
  /// Whether a word goes on with ` or ` and another filter.
  static func goesOn(_ word: String) -> Bool {
    word.firstRange(of: " or ").map { isFilter(Text(String(word[$0.upperBound...]))) } ?? false
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
