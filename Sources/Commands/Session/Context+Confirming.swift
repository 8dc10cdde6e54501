import SyncEngine
import SyncModel

extension Context {
  /// Asks whether the items that filters choose are meant, without the lock.
  ///
  /// `words` are the command's without `-y`; `look` is a command that shows the items.
  ///
  /// - Returns: The confirmed selection; `nil` if it isn't meant.
  /// - Throws: ``Problem`` if tsync can't ask, and the items are too many.
  func confirmed(
    _ selection: ItemSelection, _ isSure: Bool, to verb: String, words: [String], look: [String],
    areRemoved: Bool = false
  ) throws -> ItemSelection? {
    guard !isSure, case .filters(let filters, let time, _) = selection else { return selection }
    return try open(for: .reading) { session in
      let inventory = try session.inventory()
      let fitting = try selection.fitting(inventory, session, areRemoved: areRemoved)
      let chosen = fitting.map(\.key)
      // Items that would come back count, too.
      let totals = chosen.filter { !inventory.isHere($0) }
        .reduce(into: inventory.counts) { $0[$1.table, default: 0] += 1 }
      let total = totals.values.reduce(0, +)
      if canAsk, !options.json {
        let names = session.names(of: chosen, inventory)
        let question = "\(verb) \(chosen.count) of \(total) items? [y]es, [l]ist, [n]o: [n]"
        asking: while chosen.count > 1 {
          switch try ask(Line(question), ["no", "yes", "list"]) {
          case "yes"?: break asking
          case "list"?:
            fitting.forEach { show($0, titled: $1, names) }
          default:
            printer.summary("nothing changed")
            return nil
          }
        }
      } else {
        for (table, total) in totals.sorted(by: { $0.key < $1.key }) {
          let count = chosen.count { $0.table == table }
          guard count > Guards.chosen(of: total) else { continue }
          throw Problem(
            .unsafe, "this would \(verb) \(count) of \(total) items of \(table)",
            hints: [
              "to see them: \(typed: sameTables(look))",
              "to do it: \(typed: sameTables([command, "-y"] + words))",
            ])
        }
      }
      return .filters(
        filters, since: time,
        confirmed: Dictionary(fitting.map { ($0, $1) }, uniquingKeysWith: { $1 }))
    }
  }

  /// Prints an item for a person who is asked about it.
  func show(_ key: ItemKey, titled item: Item?, _ names: ItemNames) {
    var line = names.line(for: key)
    line.append("  \(ItemNames.shown(names.title(of: item)))")
    printer.message(line)
  }

  /// Adds this command's `-t` options to the words of a command.
  func sameTables(_ words: [String]) -> [String] {
    words.prefix(1) + options.table.flatMap { ["-t", $0] } + words.dropFirst()
  }
}
