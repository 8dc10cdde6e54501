import SyncEngine
import SyncModel

extension Session {
  /// Prints how many rows of the tables the server has lost; with `claims`, a push sends them, in a rehearsal its
  /// preview.
  mutating func findMissing(claims: Bool, isRehearsal: Bool) throws {
    var rehearsal = try begunRehearsal()
    try exchange { session, server in
      let context = session.context
      for table in session.tables {
        let lost = try LostRows(of: table, on: rehearsal, from: &server.backend)
        if claims || lost.count > 0 {
          let way = context.sameTables(["push", "--missing", "-n"])
          context.printer.summary(
            Line("\(table): \(lost.words)"), next: claims ? nil : "\(typed: way)")
        }
        guard claims else { continue }
        if isRehearsal {
          try lost.claim(on: &rehearsal)
        } else {
          try lost.claim(on: &session.workspace)
        }
      }
    }
    if isRehearsal { self.rehearsal = rehearsal }
  }
}

extension LostRows {
  fileprivate var count: Int { absent.count + past.count }

  fileprivate var words: String {
    let older = past.isEmpty ? "" : " and has \(counted(past.count, "row")) in an older state"
    return count == 0
      ? "the server has all rows" : "the server lacks \(counted(absent.count, "row"))\(older)"
  }
}
