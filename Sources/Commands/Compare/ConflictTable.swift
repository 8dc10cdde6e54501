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
/// On a terminal no line is wider than it, and what is cut shows where the versions differ.
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

  /// Adds what is in conflict.
  private mutating func append(_ place: Difference) {
    let name = Self.name(place, isDisputed: true)
    if place.runs.isEmpty { append(name, valuesOf: place, isWhole: true) }
    for change in place.changes where change.run.isDisputed {
      append(name, place.words(of: change))
      append(Self.sides.map(change.run.lines))
    }
  }

  /// Adds what is merged.
  private mutating func appendMerged(_ place: Difference) {
    let name = Self.name(place)
    if place.runs.isEmpty { append(name, valuesOf: place, isWhole: !isCut) }
    let words = place.changes.filter { !$0.run.isDisputed || !place.isDisputed }.map { change in
      let side = change.run.changer ?? (change.run.isDisputed ? place.tree.ruling : nil)
      return "\(place.words(of: change)) from \(side.map { "\($0)" } ?? "both")"
    }
    if !words.isEmpty { append(name, words.joined(separator: ", ")) }
  }

  private mutating func append(_ name: Line, _ words: String) {
    if third != nil { return rows.append([name, Line(words)]) }
    var name = name
    name.append("  \(words)")
    rows.append([name])
  }

  private static let sides = [Side.base, .client, .server]

  /// Adds three values: in columns if they fit or needn't be whole, else one below the other.
  private mutating func append(_ name: Line, valuesOf place: Difference, isWhole: Bool) {
    let texts = Self.sides.map(place.shown)
    let isWide = third.map { third in texts.allSatisfy { Line($0).columns <= third } } ?? false
    if let third, isWide || !isWhole {
      return rows.append(
        [name] + Terminal.cut(texts.map { Terminal.safe($0) }, to: third).map { Line($0) })
    }
    rows.append([name])
    guard isWhole else { return append(texts.map { [$0] }, rows: 1) }
    append(
      Self.sides.map { side in
        guard let value = place.values[side] else { return [] }
        let lines = (value.text?.string ?? "").split(
          separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 1 ? lines.map(String.init) : [place.shown(side)]
      })
  }

  /// Adds the lines of three versions, one below the other; of many, from the first that differs.
  private mutating func append(_ versions: [[String]], rows count: Int = limit) {
    let given = versions.filter { !$0.isEmpty }
    let isLong = given.contains { $0.count > Self.limit }
    let numbers = isLong ? 0..<(given.map(\.count).min() ?? 0) : 0..<0
    let same = numbers.prefix { number in given.allSatisfy { $0[number] == given[0][number] } }
      .count
    var shown = versions.map { $0.dropFirst(same).prefix(Self.limit).map { Terminal.safe($0) } }
    if isCut, shown.allSatisfy({ $0.count < 2 }) {
      shown = Terminal.cut(shown.map { $0.first ?? "" }, to: room * count).map { [$0] }
    }
    for (index, side) in Self.sides.enumerated() {
      let more = versions[index].count - same - Self.limit
      var lines = shown[index].flatMap { line in
        isCut ? Terminal.folded(line, to: room, lines: count) : [line]
      }
      if versions[index].isEmpty {
        lines = ["-"]
      } else if same > 0 {
        lines.insert("… \(same) equal line\(same == 1 ? "" : "s")", at: 0)
      }
      if more > 0 { lines.append("… \(more) more line\(more == 1 ? "" : "s")") }
      for (number, line) in lines.enumerated() {
        rows.append([Line(number == 0 ? "    \(side)" : ""), Line(line)])
      }
    }
  }
}

extension Difference {
  /// The lines of a run, as the base counts them: `line 2`, `lines 2-4`.
  func words(of change: (line: Int, run: LineMerge.Run, isLineEnd: Bool)) -> String {
    let (line, count) = (change.line, change.run.base.count)
    if change.isLineEnd { return "last line feed" }
    return count > 1 ? "lines \(line)-\(line + count - 1)" : "line \(line)"
  }
}

extension LineMerge.Run {
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
    let row = try workspace.rowInConflict(of: key)
    let author = (row?.item[configuration.whoField]?.text?.string).map {
      Terminal.cut(Terminal.safe($0), to: 20)
    }
    let time = shown(row?.updatedAt.map { $0.ticks / Timestamp.perSecond })
    let server = [author, time].compactMap { $0 }
    return ConflictTable(
      conflict, place: place, title: title,
      times: (
        shown(try Times.ofFile(workspace.path(of: key))),
        server.isEmpty ? nil : server.joined(separator: ", ")
      ), on: output)
  }
}
