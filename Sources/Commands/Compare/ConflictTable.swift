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
///   ! notes   line 2                                          server  2026-03-10
///     base    l2                                            ! notes  line 2
///     client  ANNA2                                           base    l2
///     server  BEN2                                            client  ANNA2
///     notes   line 8 from server                              server  BEN2
/// ```
///
/// On a terminal no line is wider than it, and what is not in conflict is cut at the end.
struct ConflictTable {
  private(set) var lines: [Line] = []

  /// The most lines that one version has, and that one line takes.
  private static let limit = 8

  private let isCut: Bool
  /// The room for a value in one of three columns; `nil` if they don't fit.
  private let third: Int?
  /// The room for a value in a line of its own.
  private let room: Int
  private var rows: [[Line]] = []

  /// Lays out a conflict below a title.
  ///
  /// `place` is `2 of 5` among all conflicts; `times` are those of the last change on each side.
  init(
    _ conflict: Conflict, place: String? = nil, title: Line,
    times: (client: String?, server: String?), on output: Invocation.Sink
  ) {
    isCut = output.isTerminal
    let columns = output.columns
    let differences = conflict.differences
    let heads = [
      Line("base"),
      Self.head("client", conflict.client, times.client),
      Self.head("server", conflict.server, times.server),
    ]
    let widest = max(8, differences.map { Self.name($0).columns }.max() ?? 0)
    let third = (columns - widest) / 3 - 2
    self.third = heads.allSatisfy { $0.columns <= third } ? third : nil
    // `    client` and two blanks stand before it.
    room = max(10, columns - 2 - max(10, self.third == nil ? 0 : widest))
    let heading = [place, conflict.words].compactMap { $0 }.joined(separator: " · ")
    rows = Terminal.wrapped(heading, to: columns).map { [Line($0)] } + [[title]]
    let sides = Terminal.wrapped(
      "  \(heads[1].text), \(heads[2].text)", to: columns, indent: 2)
    rows += self.third == nil ? sides.map { [Line($0)] } : [[Line()] + heads]
    // What is in conflict stands first in its field.
    var rest = differences[...]
    while let field = rest.first?.path.field {
      let places = rest.prefix { $0.path.field == field }
      places.filter(\.isDisputed).forEach { append($0) }
      places.filter { !$0.isDisputed || !$0.runs.isEmpty }.forEach { appendMerged($0) }
      rest = rest.dropFirst(places.count)
    }
    var table = Table(widths: [8])
    rows.forEach { table.append($0) }
    lines = isCut ? table.lines.map { $0.cut(to: columns) } : table.lines
  }

  private static func head(_ side: String, _ item: Item?, _ time: String?) -> Line {
    let note = item == nil ? "deleted" : time
    return Line(note.map { "\(side) (\($0))" } ?? side)
  }

  private static func name(_ difference: Difference, isDisputed: Bool = false) -> Line {
    var name = isDisputed ? Line("! ", .red) : Line("  ")
    name.append(difference.path.description)
    return name
  }

  /// Adds what is in conflict, whole.
  private mutating func append(_ difference: Difference) {
    let name = Self.name(difference, isDisputed: true)
    for (line, run) in difference.changes where run.isDisputed {
      appendHead(name, run.words(at: line))
      for (side, text) in Self.sides { append(text, run.lines(of: side)) }
    }
    if difference.runs.isEmpty { append(name, valuesOf: difference, isWhole: true) }
  }

  /// Adds what is merged.
  private mutating func appendMerged(_ difference: Difference) {
    let name = Self.name(difference)
    guard !difference.runs.isEmpty else {
      return append(name, valuesOf: difference, isWhole: !isCut)
    }
    let words = difference.changes.compactMap { line, run in
      run.changer.map { "\(run.words(at: line)) from \($0)" }
    }
    if !words.isEmpty { appendHead(name, words.joined(separator: ", ")) }
  }

  private mutating func appendHead(_ name: Line, _ words: String) {
    if third != nil { return rows.append([name, Line(words)]) }
    var name = name
    name.append("  \(words)")
    rows.append([name])
  }

  private static let sides: [(Side, String)] = [
    (.base, "base"), (.client, "client"), (.server, "server"),
  ]

  /// Adds three values: in columns if they fit or needn't be whole, else one below the other.
  private mutating func append(_ name: Line, valuesOf place: Difference, isWhole: Bool) {
    let texts = Self.sides.map { place.shown($0.0) }
    let cells = texts.map { Line($0) }
    if let third, !isWhole || cells.allSatisfy({ $0.columns <= third }) {
      return rows.append([name] + cells.map { $0.cut(to: third) })
    }
    rows.append([name])
    for ((side, name), shown) in zip(Self.sides, texts) {
      let value = place.values[side]?.text?.string ?? ""
      let lines = value.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      append(name, isWhole && lines.count > 1 ? lines : [shown], isWhole: isWhole)
    }
  }

  /// Adds the lines of one version.
  private mutating func append(_ side: String, _ lines: [String], isWhole: Bool = true) {
    var shown = lines.prefix(Self.limit).flatMap { line -> [String] in
      let rows = isWhole ? Self.limit : 1
      return isCut ? Terminal.folded(Terminal.safe(line), to: room, lines: rows) : [line]
    }
    let more = lines.count - Self.limit
    if more > 0 { shown.append("… \(more) more line\(more == 1 ? "" : "s")") }
    if lines.isEmpty { shown = ["-"] }
    for (index, text) in shown.enumerated() {
      rows.append([Line(index == 0 ? "    \(side)" : ""), Line(text)])
    }
  }
}

extension LineMerge.Run {
  /// Its lines, as the base counts them: `line 2`, `lines 2-4`.
  func words(at line: Int) -> String {
    base.count > 1 ? "lines \(line)-\(line + base.count - 1)" : "line \(line)"
  }

  /// The lines of a version.
  func lines(of side: Side) -> [String] { self[side].map { String(decoding: $0, as: UTF8.self) } }
}

extension Conflict {
  /// The letters of `tsync status`: the change here, and the change on the server.
  var letters: String { client == nil && server == nil ? "DD" : kind.rawValue }

  /// The item that has the title.
  var shown: Item? { client ?? server ?? base }

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
    of conflict: Conflict, _ key: ItemKey, _ names: ItemNames, on output: Invocation.Sink
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
      ), on: output)
  }
}
