import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct RmCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Remove items.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: [.customShort("n"), .customLong("dry-run")], help: "Only say what would be removed.")
  var isRehearsal = false

  @Flag(name: .customShort("y"), help: "Do it without asking.")
  var isSure = false

  @Argument(help: ArgumentHelp("The items, or filters.", valueName: "ref|filter"))
  var words: [String]

  var selection: [String] { words }

  mutating func run(in context: Context) throws {
    let named = try ItemSelection(words)
    context.output.begin("items")
    guard !isRehearsal else {
      return try context.reading { open in
        let removal = try Removal(named, open, context)
        for referent in removal.referents {
          removal.tell("would remove", referent, try removal.title(referent, open), context)
        }
      }
    }
    guard
      let selection = try context.confirmed(
        named, isSure, to: "remove", words: words, look: ["rm", "-n"] + words)
    else { return }
    try context.writing { open in
      let removal = try Removal(selection, open, context)
      defer { try? open.workspace.settle() }
      for referent in removal.referents {
        try context.checkSignal()
        let title = try removal.title(referent, open)
        try removal.remove(referent, &open)
        removal.tell("removed", referent, title, context)
      }
      try open.workspace.settle()
      if removal.referents.isEmpty { context.output.summary("nothing changed") }
      context.output.count(
        removal.referents.count, "removed", selection,
        next: "\(typed: context.sameTables(["restore"] + words))")
    }
  }
}

private struct Removal {
  let referents: [Referent]
  private let inventory: Inventory
  private let names: ItemNames

  init(_ selection: ItemSelection, _ open: OpenWorkspace, _ context: Context) throws {
    let inventory = try open.inventory()
    let referents: [Referent]
    switch selection {
    case .references(let words):
      referents = try open.references(inventory, in: context).all(words)
    case .filters:
      referents = try selection.keys(inventory, open, in: context).map { Referent($0) }
    }
    var claims = Claims()
    for referent in referents {
      if let failure = try open.moved(referent, &claims) { throw failure }
    }
    names = open.names(of: referents.compactMap(\.key), inventory)
    // The same command finishes an interrupted removal. A renamed item that waits for its
    // successor is gone only here.
    let gone = referents.compactMap(\.key).filter {
      (inventory.isAbsent($0) || !inventory.contains($0))
        && open.workspace.journal.successors[$0] == nil
    }
    if let key = gone.first, gone.count == referents.count {
      guard try inventory.contains(key) || open.workspace.base(of: key) != .neverSeen else {
        throw Failure.usage(
          "\(key) has no file here, and no row of it is known",
          hints: try open.wayToRow(of: key))
      }
      throw Failure.usage("\(key) is removed already")
    }
    self.inventory = inventory
    self.referents = referents.filter { $0.key.map { !gone.contains($0) } ?? true }
  }

  func title(_ referent: Referent, _ open: OpenWorkspace) throws -> String? {
    names.title(
      of: try referent.key.flatMap {
        try inventory.item($0, on: open.workspace) ?? open.workspace.base(of: $0).item
      })
  }

  /// Removes an item, or a file that can't be one.
  func remove(_ referent: Referent, _ open: inout OpenWorkspace) throws {
    guard let key = referent.key else {
      if let stray = referent.stray {
        _ = try open.workspace.discard(stray, of: nil, in: referent.table)
      }
      return
    }
    switch try open.workspace.client(key) {
    case .absent:
      guard open.workspace.journal.successors[key] != nil else { return }
      try open.workspace.append(
        [.noted(key, Note(kind: .delete, commanded: true))], durably: true)
    case .invalid(let invalid):
      try open.workspace.append(
        [.noted(key, Note(kind: .delete, commanded: true))], durably: true)
      guard try open.workspace.discard(invalid, of: key, in: key.table) else {
        // Nothing was removed: if the file vanishes later, that was not by a command.
        try open.workspace.append(
          open.workspace.journal.takingBackDelete(of: key), durably: false)
        throw Self.changedMeanwhile(key)
      }
    case .item:
      guard try open.workspace.remove(key) else { throw Self.changedMeanwhile(key) }
      // A row that the server made of the item has another id, and stays.
      if open.workspace.journal.intents[key]?.kind == .insert,
        try open.workspace.state().tables[key.table]?.makesIDs == true
      {
        try open.workspace.append([.closed(.operation(key))], durably: true)
      }
    }
  }

  private static func changedMeanwhile(_ key: ItemKey) -> Failure {
    Failure(.rejected, "\(key) was changed meanwhile", hints: ["try again"])
  }

  func tell(_ did: String, _ referent: Referent, _ title: String?, _ context: Context) {
    guard let key = referent.key else {
      let place = referent.stray?.place ?? ""
      context.output.append(
        ["table": .string(referent.table.text), "path": .string(place), "did": .string(did)],
        to: "items")
      return context.output.result(Line("\(did) \(place)"))
    }
    context.output.tell(Deed(did: did, key: key, title: title), names)
  }
}
