import SyncEngine
import SyncModel

extension Context {
  /// Makes sure that the items that filters choose are meant, without the lock (decisions.md 57).
  ///
  /// - Parameters:
  ///   - selection: What the command is about.
  ///   - isSure: Whether nothing is asked, with `-y`.
  ///   - verb: What would be done to the items.
  ///   - words: The words of the command line behind the command's name, but for `-y`.
  ///   - look: The words of the command that shows the items.
  ///   - areRemoved: Whether filters choose from what was removed.
  /// - Returns: The selection, of what was confirmed only; `nil` where it isn't meant.
  /// - Throws: ``Failure``, ``WorkspaceError``.
  func confirmed(
    _ selection: ItemSelection, _ isSure: Bool, to verb: String, words: [String], look: [String],
    areRemoved: Bool = false
  ) throws -> ItemSelection? {
    guard !isSure, case .filters(let filters, _) = selection else { return selection }
    return try reading { open in
      let inventory = try open.inventory()
      let fitting = try selection.fitting(inventory, open, areRemoved: areRemoved)
      let chosen = fitting.map(\.key)
      // What comes back counts, too.
      let totals = chosen.filter { !inventory.isHere($0) }
        .reduce(into: inventory.counts) { $0[$1.table, default: 0] += 1 }
      let total = totals.values.reduce(0, +)
      if canAsk, !options.json {
        let names = open.names(of: chosen, inventory)
        let question = "\(verb) \(chosen.count) of \(total) items? [y]es, [l]ist, [n]o: [n]"
        asking: while chosen.count > 1 {
          switch try ask(Line(question)).map({ Text($0) }) {
          case "y", "yes": break asking
          case "l", "list":
            for (key, item) in fitting {
              var line = names.line(for: key)
              line.append("  \(ItemNames.shown(names.title(of: item)))")
              output.message(line)
            }
          case nil, "", "n", "no":
            output.summary("nothing changed")
            return nil
          default: continue
          }
        }
      } else {
        for (table, total) in totals.sorted(by: { $0.key < $1.key }) {
          let count = chosen.count { $0.table == table }
          guard count > max(20, total * 3 / 10) else { continue }
          throw Failure(
            .unsafe, "this would \(verb) \(count) of \(total) items of \(table)",
            hints: [
              "to see them: \(typed: sameTables(look))",
              "to do it: \(typed: sameTables([command, "-y"] + words))",
            ])
        }
      }
      return .filters(filters, confirmed: Set(chosen))
    }
  }

  /// Returns the words of a command, with the tables that this one is about.
  func sameTables(_ words: [String]) -> [String] {
    words.prefix(1) + options.table.flatMap { ["-t", $0] } + words.dropFirst()
  }
}
