import SyncEngine
import SyncModel
import Workspace

/// A conflict for people: base, client and server in columns, or in lines if columns don't fit.
///
/// ```
///   edited here and on the server
///   todoitem/2b9e  Renew passport                         ! due
///             base        client (10:02)  server (10:14)      base    2026-02-27
///   ! due     2026-02-27  2026-03-03      2026-03-10          client  2026-03-03
///     notes   -           -               bring photos        server  2026-03-10
/// ```
struct ConflictTable {
  /// No line is wider than the terminal.
  let lines: [Line]

  private static let sides = ["base", "client", "server"]
  /// The longest field name, in columns, and the longest difference, in lines.
  private static let (nameLimit, differenceLimit) = (20, 8)

  /// Lays out a conflict below a title.
  ///
  /// `place` is `2 of 5` among all conflicts; `times` are those of the last change on each side.
  init(
    _ conflict: Conflict, place: String? = nil, title: Line,
    times: (client: String?, server: String?), columns: Int
  ) {
    let fields = conflict.changedFields
    let names = fields.map { field in
      var name = field.isDisputed ? Line("! ", .red) : Line("  ")
      name.append(Terminal.cut(Terminal.safe(field.name.string), to: Self.nameLimit))
      return name
    }
    let heads = [
      Line("base"),
      Self.head("client", conflict.client, times.client),
      Self.head("server", conflict.server, times.server),
    ]
    let third = (columns - max(8, names.map(\.columns).max() ?? 0)) / 3 - 2
    let isWide = heads.allSatisfy { $0.columns <= third }
    let heading = [place, conflict.words].compactMap { $0 }.joined(separator: " · ")
    var rows = Terminal.wrapped(heading, to: columns).map { [Line($0)] } + [[title]]
    let sides = Terminal.wrapped(
      "  \(heads[1].text), \(heads[2].text)", to: columns, indent: 2)
    rows += isWide ? [[Line()] + heads] : sides.map { [Line($0)] }
    for (field, name) in zip(fields, names) {
      let limit = isWide ? third : max(10, columns - 12)
      let cells = Terminal.cut(field.values.map(Self.shown), to: limit).map { Line($0) }
      let sides = zip(Self.sides, cells).map { [Line("    \($0)"), $1] }
      rows += isWide ? [[name] + cells] : [[name]] + sides
      rows += Self.differences(of: field, columns: columns).map { [$0] }
    }
    var table = Table(widths: [8])
    rows.forEach { table.append($0) }
    lines = table.lines.map { $0.cut(to: columns) }
  }

  private static func head(_ side: String, _ item: Item?, _ time: String?) -> Line {
    let note = item == nil ? "deleted" : time
    return Line(note.map { "\(side) (\($0))" } ?? side)
  }

  private static func shown(_ value: JSON?) -> String {
    guard let text = value.map(text) else { return "-" }
    let lines = text.utf8.count { $0 == 0x0A } + 1
    return lines > 1 ? "\(lines) lines" : text.utf8.isEmpty ? "\"\"" : Terminal.safe(text)
  }

  private static func text(_ value: JSON) -> String {
    value.text?.string ?? String(decoding: value.encoded(), as: UTF8.self)
  }

  /// Returns each side's changes of a multi-line text as a patch; nothing for other values.
  private static func differences(of field: Conflict.ChangedField, columns: Int) -> [Line] {
    let texts = field.values.map { $0.map(text) }
    guard texts.contains(where: { $0?.utf8.contains(0x0A) == true }) else { return [] }
    let isAddedTwice = texts[0] == nil && texts[1] != nil && texts[2] != nil
    return (isAddedTwice ? [(1, 2)] : [(0, 1), (0, 2)]).flatMap { old, new -> [Line] in
      guard let text = texts[new], texts[old] != text else { return [] }
      // A line end after both texts avoids a false difference in the last line.
      let patch = Patch(
        from: texts[old].map { Array("\($0)\n".utf8) }, named: "", to: Array("\(text)\n".utf8),
        named: "", context: 1)
      // Drops the two names, and the head of the first hunk.
      let all = patch.lines.dropFirst(3).map {
        $0.kind == .hunk ? PatchLine(kind: .hunk, text: " …") : $0
      }
      let texts = all.prefix(differenceLimit).map {
        Terminal.safe(String($0.text.unicodeScalars.dropFirst()))
      }
      var lines = [Line("    \(sides[old]) to \(sides[new]):", .dim)]
      for (line, text) in zip(all, Terminal.cut(texts, to: max(10, columns - 5))) {
        let mark = String(line.text.unicodeScalars.prefix(1))
        lines.append(Line("    "))
        lines[lines.count - 1].append(PatchLine(kind: line.kind, text: mark + text).line)
      }
      let rest = all.count - texts.count
      return lines + (rest > 0 ? [Line("    … and \(rest) more", .dim)] : [])
    }
  }
}

extension Conflict {
  /// The letters of `tsync status`: the change here, and the change on the server.
  var letters: String { client == nil && server == nil ? "DD" : kind.rawValue }

  /// The item that has the title.
  var shown: Item? { client ?? server ?? base }

  /// A field that a side changed.
  struct ChangedField {
    let name: Text
    /// The values of base, client and server.
    let values: [JSON?]
    let isDisputed: Bool
  }

  /// The fields that a side changed, in the client's order, then the server's.
  ///
  /// Of a deleted server row: the fields that were changed before the delete.
  var changedFields: [ChangedField] {
    let disputed = Set(names)
    var seen: Set<Text> = []
    let items = [client, server ?? last, base].compactMap { $0 }
    return items.flatMap { $0.fields.members.map(\.name) }.compactMap { name in
      let (base, client, last) = (base?[name], client?[name], last?[name])
      let server = server?[name] ?? (last == base ? nil : last)
      guard seen.insert(name).inserted, base != client || base != server else { return nil }
      return ChangedField(
        name: name, values: [base, client, server], isDisputed: disputed.contains(name))
    }
  }

  /// The changes of both sides: `edited here, deleted on the server`.
  var words: String {
    let edited = base == nil ? "added" : "edited"
    let (here, there) = (client == nil ? "deleted" : edited, server == nil ? "deleted" : edited)
    return here == there ? "\(here) here and on the server" : "\(here) here, \(there) on the server"
  }
}

extension Session {
  /// Returns the table of a conflict, with the times of both sides.
  func table(
    of conflict: Conflict, _ key: ItemKey, _ names: ItemNames, columns: Int
  ) throws -> ConflictTable {
    func shown(_ seconds: Int64?) -> String? {
      seconds.map { Times.clock($0, now: context.now) }
    }
    var title = names.line(for: key)
    title.append("  \(ItemNames.shown(names.title(of: conflict.shown)))")
    let server = workspace.journal.conflicts[key]?.server.updatedAt
    return ConflictTable(
      conflict, place: place, title: title,
      times: (
        shown(try Times.ofFile(workspace.path(of: key))),
        shown(server.map { $0.ticks / Timestamp.perSecond })
      ), columns: columns)
  }
}
