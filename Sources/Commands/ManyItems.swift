import SyncEngine
import SyncModel

/// What filters have chosen, before anything is done to it (decisions.md 57).
struct ManyItems {
  /// What would be done: `remove`.
  let verb: String
  /// The items, with the lines that name them.
  let chosen: [(key: ItemKey, line: Line)]
  /// How many items each table has.
  let totals: [TableName: Int]
  /// What to type to see them, and to do it without being asked.
  let look, sure: [String]

  /// How many items of a table may be chosen where nobody can be asked.
  private static func limit(of total: Int) -> Int { max(20, total * 3 / 10) }

  /// Whether they are meant: a person is asked about several; where nobody can be, many are refused.
  ///
  /// - Throws: ``Failure``.
  func areMeant(in context: Context) throws -> Bool {
    if chosen.count < 2 { return true }
    guard context.canAsk, !context.options.json else {
      for (table, total) in totals.sorted(by: { $0.key < $1.key }) {
        let count = chosen.count { $0.key.table == table }
        guard count > Self.limit(of: total) else { continue }
        throw Failure(
          .unsafe, "this would \(verb) \(count) of \(total) items of \(table)",
          hints: ["to see them: \(typed: look)", "to do it: \(typed: sure)"])
      }
      return true
    }
    let total = totals.values.reduce(0, +)
    while true {
      let question = "\(verb) \(chosen.count) of \(total) items? [y]es, [l]ist, [n]o: [n]"
      switch try context.ask(Line(question)).map({ Text($0) }) {
      case "y", "yes": return true
      case "l", "list": for item in chosen { context.output.message(item.line) }
      case nil, "", "n", "no":
        context.output.summary("nothing changed")
        return false
      default: continue
      }
    }
  }
}

extension Context {
  /// Makes sure that the items that filters choose are meant, without the lock.
  ///
  /// - Parameters:
  ///   - selection: What the command is about.
  ///   - isSure: Whether nothing is asked, with `-y`.
  ///   - verb: What would be done to the items.
  ///   - words: The words of the command line behind the command's name, but for `-y`.
  ///   - look: The words of the command that shows the items.
  ///   - items: The items that filters choose from.
  /// - Returns: The selection, of what was confirmed only; `nil` where it isn't meant.
  /// - Throws: ``Failure``, ``WorkspaceError``.
  func confirmed(
    _ selection: ItemSelection, _ isSure: Bool, to verb: String, words: [String], look: [String],
    of items: (Inventory, OpenWorkspace) throws -> [(key: ItemKey, item: Item)] = {
      try $0.items(on: $1.workspace)
    }
  ) throws -> ItemSelection? {
    guard !isSure, case .filters(let filters, _) = selection else { return selection }
    return try reading { open in
      let inventory = try open.inventory()
      let fitting = try selection.fitting(items(inventory, open), open)
      let names = open.names(of: fitting.map(\.key), inventory)
      // What comes back counts, too.
      let missing = fitting.map(\.key).filter { !inventory.isHere($0) }
      let many = ManyItems(
        verb: verb,
        chosen: fitting.map { key, item in
          var line = names.line(for: key)
          line.append("  \(ItemNames.shown(names.title(of: item)))")
          return (key, line)
        }, totals: missing.reduce(into: inventory.counts) { $0[$1.table, default: 0] += 1 },
        look: sameTables(look), sure: sameTables([command, "-y"] + words))
      let isMeant = try many.areMeant(in: self)
      return isMeant ? .filters(filters, confirmed: Set(fitting.map(\.key))) : nil
    }
  }

  /// Returns the words of a command, with the tables that this one is about.
  func sameTables(_ words: [String]) -> [String] {
    words.prefix(1) + options.table.flatMap { ["-t", $0] } + words.dropFirst()
  }
}
