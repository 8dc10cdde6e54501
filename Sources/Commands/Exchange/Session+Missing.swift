import SyncEngine
import SyncModel

extension Session {
  /// Prints how many rows of the tables the server has lost; with `claims`, a push sends them.
  mutating func findMissing(claims: Bool) throws {
    try exchange { session, server in
      for table in session.tables {
        let lost: LostRows
        do {
          lost = try LostRows(of: table, on: session.rehearsed, from: &server.backend)
        } catch Stop.noTable(let table) {
          session.context.printer.warn(.noTable(table, of: session.tables))
          continue
        }
        session.show(lost, way: !claims)
        guard claims else { continue }
        if var disk = session.rehearsal {
          try lost.claim(on: &disk)
          session.rehearsal = disk
        } else {
          try lost.claim(on: &session.workspace)
        }
      }
    }
  }

  private func show(_ lost: LostRows, way: Bool) {
    let (absent, past) = (lost.absent.count, lost.past.count)
    guard absent + past + lost.unready.count > 0 || !way else { return }
    let parts = [
      absent > 0 ? "the server lacks \(counted(absent, "row"))" : nil,
      past > 0 ? "the server has \(counted(past, "row")) in an older state" : nil,
    ].compactMap(\.self)
    let none = lost.unready.isEmpty ? "no row has to be sent again" : "no lost row can be sent yet"
    let words = parts.isEmpty ? none : parts.joined(separator: ", ")
    context.printer.summary(
      Line("\(lost.table): \(words)"),
      next: way ? "\(typed: context.sameTables(["push", "--missing", "-n"]))" : nil)
    for id in lost.unready {
      context.printer.warn(
        Problem(
          .conflicts, "the server lost \(ItemKey(lost.table, id)); its item is open or invalid"))
    }
  }
}
