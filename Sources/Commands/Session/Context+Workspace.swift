import Glibc
import SyncEngine
import SyncModel
import SystemPackage
import Workspace

/// A workspace that a command has opened, and what is settled for it.
struct OpenWorkspace {
  /// The workspace.
  var workspace: Workspace
  /// The settings.
  let configuration: Configuration
  /// The tables that the command is about: those that were named, or all.
  let tables: [TableName]
  /// The ids that files of other names were found to say, for as long as it is open.
  var claims = Claims()

  /// Makes a description.
  init(workspace: Workspace, configuration: Configuration, tables: [TableName]) {
    self.workspace = workspace
    self.configuration = configuration
    self.tables = tables
  }

  /// Returns what lies in the tables.
  func inventory() throws -> Inventory { try Inventory(of: tables, on: workspace) }

  /// Returns what finds the items that a person names.
  func references(_ inventory: Inventory, in context: Context) -> References {
    References(
      inventory: inventory, workspace: workspace, names: names(of: inventory.keys, inventory),
      directory: context.invocation.directory)
  }

  /// Returns how items are called, among all that an inventory lists.
  func names(of keys: some Sequence<ItemKey>, _ inventory: Inventory) -> ItemNames {
    ItemNames(
      for: keys, among: inventory.keys, showsTable: tables.count > 1,
      titleField: configuration.titleField)
  }

  /// What the user has settled about exchanging and merging.
  func settings(now: Int64) -> Settings { configuration.settings(for: tables, now: now) }

  /// Returns a conflict as it now is.
  ///
  /// - Throws: `Resolve.Failure`, ``WorkspaceError``.
  mutating func conflict(_ key: ItemKey) throws -> Conflict {
    var found = claims
    defer { claims = found }
    return try conflict(key, &found)
  }

  /// Returns a conflict as it now is.
  ///
  /// - Throws: `Resolve.Failure`, ``WorkspaceError``.
  func conflict(_ key: ItemKey, _ claims: inout Claims) throws -> Conflict {
    try Resolve(settings: configuration.settings(for: [key.table], now: 0)).current(
      key, on: workspace, claims: &claims)
  }
}

extension Configuration {
  /// What the engine goes by in tables.
  func settings(for tables: [TableName], now: Int64) -> Settings {
    Settings(
      policies: Dictionary(uniqueKeysWithValues: tables.map { ($0, policy(of: $0)) }), now: now)
  }
}

extension Context {
  /// The user's own directory of settings; `nil` where nothing says where it is.
  var userDirectory: UserDirectory? {
    UserDirectory(
      configHome: invocation.environment["XDG_CONFIG_HOME"], home: invocation.home)
  }

  /// Finds the workspace: from `-C`, `TSYNC_DIR` or the current directory upwards.
  ///
  /// - Throws: ``WorkspaceError``.
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

  /// Opens the workspace to look at it, and hands it over.
  ///
  /// - Throws: ``WorkspaceError``, ``Failure``, what the body throws.
  func reading<Result>(_ body: (OpenWorkspace) throws -> Result) throws -> Result {
    let workspace = try Workspace(
      at: try findWorkspace(), for: .reading, clock: invocation.clock)
    var open = try prepared(workspace)
    let result = try body(open)
    // Only the index is kept: what it speeds up is the next command.
    try? open.workspace.finish("", tell: output.warn)
    return result
  }

  /// Opens the workspace to change it, finishes what an interrupted command left, and hands it over;
  /// the history gets its line whatever happens.
  ///
  /// - Parameters:
  ///   - prepare: What is to be done before anything is finished.
  ///   - body: What is to be done.
  /// - Returns: What the body returns.
  /// - Throws: ``WorkspaceError``, ``Failure``, what the two throw.
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

  /// Reads the settings, says what is to be known, and finds the tables.
  func prepared(_ workspace: Workspace) throws -> OpenWorkspace {
    let configuration = try Configuration(
      workspace: try workspace.settings(), user: try userDirectory?.settings())
    for notice in workspace.notices + configuration.warnings { output.warn(notice) }
    output.adopt(configuration)
    output.hintText.workspace = workspace.path
    let all = configuration.tables
    let chosen = try options.table.map { word -> TableName in
      let name = try TableName(Text(word))
      guard all.contains(name) else {
        throw Failure.usage(
          "\(name) is no table of this workspace",
          hints: ["its tables: \(all.map(\.description).joined(separator: ", "))"])
      }
      return name
    }
    return OpenWorkspace(
      workspace: workspace, configuration: configuration,
      tables: chosen.isEmpty ? all : all.filter(chosen.contains))
  }

  /// The command and what it is about, as the history keeps them (decisions.md 32, 74).
  var recorded: Text { Text(([command] + selection).joined(separator: " ")) }
}

extension Output {
  /// Takes over how results shall look.
  func adopt(_ configuration: Configuration) {
    colorSetting = GlobalOptions.Color(rawValue: configuration.color.string) ?? .auto
    pagerSetting = configuration.text("pager")?.string
  }
}
