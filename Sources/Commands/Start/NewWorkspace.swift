import SyncModel
import Workspace

/// A workspace that `init` or `clone` makes.
struct NewWorkspace {
  /// The directory, as it was given.
  let shown: String
  let path: String
  let tables: [TableName]
  /// The queries by which tables are pulled.
  var queries: [Query] = []

  /// Refuses a directory that is a workspace, or is in one, and an address.
  init(at shown: String, in context: Context) throws {
    guard !shown.contains("://") else {
      throw Problem.usage(
        "\(shown) is an address, not a directory",
        hints: ["to make a workspace of its rows: \(typed: "clone", shown)"])
    }
    self.shown = shown
    path = context.path(shown)
    let words = context.options.table.isEmpty ? ["todoitem"] : context.options.table
    tables = try words.reduce(into: []) { tables, word in
      let table = try TableName(Text(word))
      if !tables.contains(table) { tables.append(table) }
    }
    do {
      let found = try Workspace.find(
        from: PathName.nearestDirectory(path), home: context.invocation.home, isNamed: true)
      let isSame = Text(PathName.physical(path)) == Text(found)
      throw Problem.usage(
        isSame ? "\(shown) is already a workspace" : "\(shown) is in the workspace \(found)")
    } catch WorkspaceError.notFound, WorkspaceError.untrusted {
      // Another user's workspace above this directory doesn't count.
    }
  }

  /// Makes the workspace, with a server or without.
  func make(remote: String?) throws {
    var settings = SettingsFile(place: "config.json", text: nil)
    if let remote { try settings.set("remote", from: Text(remote)) }
    try settings.set("tables", from: Text(tables.map(\.description).joined(separator: ",")))
    for query in queries { try settings.set(query) }
    try Workspace.make(at: path, settings: settings, state: WorkspaceState(), tables: tables)
  }

  /// Prints that the workspace is made.
  func announce(_ printer: Printer) {
    let names = tables.map { table in
      let names = queries.filter { $0.table == table }.map(\.name.string).joined(separator: ", ")
      return names.isEmpty ? table.description : "\(table): \(names)"
    }.joined(separator: ", ")
    printer.summary(Line("made workspace \(shown) (\(names))"))
    printer.set("directory", path)
  }
}

extension SettingsFile {
  /// Sets a setting that exists to a typed value.
  mutating func set(_ name: Text, from text: Text) throws {
    guard let key = SettingKey(name) else { throw Problem.usage("there is no setting '\(name)'") }
    try set(key, to: key.value(from: text))
  }
}
