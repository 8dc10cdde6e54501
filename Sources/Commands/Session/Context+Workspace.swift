import Glibc
import SyncEngine
import SyncModel
import SystemPackage
import Workspace

/// A workspace that a command has opened, and its settings.
struct OpenWorkspace {
  var workspace: Workspace
  let configuration: Configuration
  /// The tables of the command: those of `-t`, or all.
  let tables: [TableName]
  /// The ids found in files with other names, kept while the workspace is open.
  var claims = Claims()

  init(workspace: Workspace, configuration: Configuration, tables: [TableName]) {
    self.workspace = workspace
    self.configuration = configuration
    self.tables = tables
  }

  func inventory() throws -> Inventory { try Inventory(of: tables, on: workspace) }

  func lookup(_ inventory: Inventory, in context: Context) -> ItemLookup {
    ItemLookup(
      inventory: inventory, workspace: workspace, names: names(of: inventory.keys, inventory),
      directory: context.invocation.directory)
  }

  func names(of keys: some Sequence<ItemKey>, _ inventory: Inventory) -> ItemNames {
    ItemNames(
      for: keys, among: inventory.keys, showsTable: tables.count > 1,
      titleField: configuration.titleField)
  }

  func settings(now: Int64) -> Settings { configuration.settings(for: tables, now: now) }

  /// Returns a conflict as it is now.
  mutating func conflict(_ key: ItemKey) throws -> Conflict {
    var found = claims
    defer { claims = found }
    return try conflict(key, &found)
  }

  func conflict(_ key: ItemKey, _ claims: inout Claims) throws -> Conflict {
    try Resolve(settings: configuration.settings(for: [key.table], now: 0)).current(
      key, on: workspace, claims: &claims)
  }
}

extension Configuration {
  func settings(for tables: [TableName], now: Int64) -> Settings {
    Settings(
      policies: Dictionary(uniqueKeysWithValues: tables.map { ($0, policy(of: $0)) }), now: now)
  }
}

extension Context {
  /// The user's settings directory; `nil` without `XDG_CONFIG_HOME` and `HOME`.
  var userDirectory: UserDirectory? {
    UserDirectory(
      configHome: invocation.environment["XDG_CONFIG_HOME"], home: invocation.home)
  }

  /// Finds the workspace: from `-C`, `TSYNC_DIR` or the current directory upwards.
  func findWorkspace() throws -> String {
    let named = options.directory != nil
    if let directory = options.directory, access(invocation.directory, F_OK) != 0 {
      throw Failure.usage("there is no directory \(directory)")
    }
    let start = named ? nil : invocation.environment.nonEmpty("TSYNC_DIR")
    return try Workspace.find(
      from: start.map { PathName.absolute($0, in: invocation.directory) } ?? invocation.directory,
      home: invocation.home, isNamed: named || start != nil)
  }

  /// Opens the workspace without a lock, and runs the body.
  func reading<Result>(_ body: (OpenWorkspace) throws -> Result) throws -> Result {
    let workspace = try Workspace(
      at: try findWorkspace(), for: .reading, clock: invocation.clock)
    var open = try prepared(workspace)
    let result = try body(open)
    // Writes only the index, which speeds up the next command.
    try? open.workspace.finish("", tell: output.warn)
    return result
  }

  /// Opens the workspace under its lock, finishes an interrupted command, and runs the body.
  ///
  /// `prepare` runs before the recovery. The history gets its line even if the body fails.
  func writing<Result>(
    preparing prepare: (inout OpenWorkspace) throws -> Void = { _ in },
    _ body: (inout OpenWorkspace) throws -> Result
  ) throws -> Result {
    let workspace = try Workspace(
      at: try findWorkspace(), for: .writing(command: Text(command)), clock: invocation.clock)
    var open = try prepared(workspace)
    do {
      try prepare(&open)
      try recover(&open)
      let result = try body(&open)
      try open.workspace.finish(recorded, status: Int(output.status.number), tell: output.warn)
      return result
    } catch {
      let status = output.status.or(Failure(error).status)
      try? open.workspace.finish(recorded, status: Int(status.number), tell: output.warn)
      throw error
    }
  }

  /// Reads the settings, prints notices, and finds the command's tables.
  func prepared(_ workspace: Workspace) throws -> OpenWorkspace {
    let configuration = try Configuration(
      workspace: try workspace.settings(), user: try userDirectory?.settings())
    for notice in workspace.notices + configuration.warnings { output.warn(notice) }
    output.apply(configuration)
    output.hintText.workspace = workspace.path
    let all = configuration.tables
    let chosen = try options.table.map { word -> TableName in
      let name = try TableName(Text(word))
      guard all.contains(name) else {
        throw Failure.usage(
          "\(name) is not a table of this workspace",
          hints: ["its tables: \(all.map(\.description).joined(separator: ", "))"])
      }
      return name
    }
    return OpenWorkspace(
      workspace: workspace, configuration: configuration,
      tables: chosen.isEmpty ? all : all.filter(chosen.contains))
  }

  /// The command and its selection, for the history (decisions.md 32, 74).
  var recorded: Text { Text(([command] + selection).joined(separator: " ")) }
}

extension Output {
  func apply(_ configuration: Configuration) {
    colorSetting = GlobalOptions.Color(rawValue: configuration.color.string) ?? .auto
    pagerSetting = configuration.text("pager")?.string
  }
}
