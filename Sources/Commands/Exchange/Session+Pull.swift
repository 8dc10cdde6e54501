import SyncEngine
import SyncModel
import Workspace

extension Session {
  /// Pulls the tables and prints the arrivals, also those before a `Stop`.
  ///
  /// `maxDelete` is how many items of a table the server may delete; `nil` keeps the guard. `isLast` is false
  /// if a push follows, which prints conflicts and files in the way itself.
  mutating func pull(
    isFull: Bool = false, queries: [Text] = [], maxDelete: Int? = nil, isLast: Bool = true
  ) throws {
    var settings = settings
    settings.maxDelete = maxDelete
    settings.isRehearsal = isDryRun
    var puller = Puller(session: self, settings: settings, isFull: isFull, queries: queries)
    do {
      try exchange { session, server in
        if var rehearsal = session.rehearsal {
          defer { session.rehearsal = rehearsal }
          _ = try puller.run(on: &rehearsal, from: server)
        } else {
          let isWhole = try puller.run(on: &session.workspace, from: server)
          // Only a pull of all tables proves that the server is the workspace's.
          try session.keepTime(
            isWhole ? \.pulled : nil, server,
            verifiesServer: isWhole && session.tables == session.configuration.tables
              && queries.isEmpty,
            queries: puller.pulled)
        }
      }
    } catch let problem as Problem where problem == Server.unknownDialect {
      context.printer.summary(Line(context.printer.text(of: problem.fact)))
    } catch {
      // The workspace has what came before the failure.
      if !puller.summaries.isEmpty { context.printer.set(puller.json, of: "pull") }
      throw error
    }
    context.printer.set(puller.json, of: "pull")
    reported = puller.conflictKeys
    if isLast { puller.end() }
  }

  /// Records that a complete exchange ends now, and the server if the exchange proves it.
  func keepTime(
    _ field: WritableKeyPath<WorkspaceState, Timestamp?>?, _ server: Server,
    verifiesServer: Bool = false, queries: [Text] = []
  ) throws {
    var state = try workspace.state()
    let now = Timestamp(ticks: context.now * Timestamp.perSecond)
    if let field { state[keyPath: field] = now }
    for query in queries { state.queries[query] = now }
    if verifiesServer { server.record(in: &state) }
    try workspace.write(state)
  }
}
