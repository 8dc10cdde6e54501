import SyncModel

/// A conflict as a person sees it, field by field: base, client and server beside each other.
///
/// ```
///   todoitem/2b9e  Renew passport
///              base         client (10:02)   server (10:14)
///   ! due      2026-02-27   2026-03-03       2026-03-10
///     notes    -            -                bring photos
/// ```
struct ConflictTable {
  /// The lines.
  let lines: [Line]

  /// The fewest columns of a field's name, and the blanks between columns.
  private static let nameWidth = 6
  private static let gap = 3

  /// Lays a conflict out below a title, for a terminal of so many columns.
  ///
  /// The times say when client and server changed the item, `nil` where that isn't known.
  init(
    _ conflict: Conflict, title: Line, times: (client: String?, server: String?), columns: Int
  ) {
    let fields = Self.fields(of: conflict)
    let nameWidth = max(
      Self.nameWidth, fields.map { Terminal.columns(of: Terminal.safe($0.name.string)) }.max() ?? 0)
    let room = columns - 2 - nameWidth - 3 * Self.gap
    let most = max(10, room / 3)
    let heads = [
      "base",
      Self.head("client", conflict.client, times.client),
      Self.head("server", conflict.server, times.server),
    ]
    let rows = fields.map { field in
      [field.base, field.client, field.server].map { Self.shown($0, most) }
    }
    let widths = (0..<2).map { column in
      ([heads] + rows).map { Terminal.columns(of: $0[column]) }.max() ?? 0
    }
    func line(isDisputed: Bool = false, _ name: String, _ cells: [String]) -> Line {
      var line = isDisputed ? Line("! ", .red) : Line("  ")
      var column = 2
      line.append(name)
      column += nameWidth + Self.gap
      for (index, cell) in cells.enumerated() {
        line.pad(to: column)
        line.append(cell)
        if index < widths.count { column += widths[index] + Self.gap }
      }
      return line
    }
    lines =
      [title, line("", heads)]
      + zip(fields, rows).map { line(isDisputed: $0.isDisputed, $0.name.string, $1) }
  }

  private struct Field {
    let name: Text
    let base, client, server: JSON?
    let isDisputed: Bool
  }

  /// The fields that a side changed, in the client's order, then the server's.
  ///
  /// Of a row that the server has deleted that is what was changed there before.
  private static func fields(of conflict: Conflict) -> [Field] {
    let disputed = Set(conflict.names)
    var seen: Set<Text> = []
    let items = [conflict.client, conflict.server ?? conflict.last, conflict.base]
      .compactMap { $0 }
    return items.flatMap { $0.fields.members.map(\.name) }.compactMap { name in
      let (base, client) = (conflict.base?[name], conflict.client?[name])
      let last = conflict.last?[name]
      let server = conflict.server?[name] ?? (last == base ? nil : last)
      guard seen.insert(name).inserted, base != client || base != server else { return nil }
      return Field(
        name: name, base: base, client: client, server: server, isDisputed: disputed.contains(name))
    }
  }

  private static func head(_ side: String, _ item: Item?, _ time: String?) -> String {
    if item == nil { return "\(side) (deleted)" }
    return time.map { "\(side) (\($0))" } ?? side
  }

  private static func shown(_ value: JSON?, _ most: Int) -> String {
    guard let value else { return "-" }
    let text = value.text?.string ?? String(decoding: value.encoded(), as: UTF8.self)
    let safe = Terminal.safe(text)
    return Terminal.cut(safe.utf8.isEmpty ? "\"\"" : safe, to: most)
  }
}
