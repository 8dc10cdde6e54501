import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct RmCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Remove items.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print the items that would be removed, and remove nothing.")
  var dryRun = false

  @Flag(name: .customShort("y"), help: "Do it without asking.")
  var isSure = false

  @Argument(help: ArgumentHelp("The items, or filters.", valueName: "ref|filter"))
  var words: [String]

  var selection: [String] { words }

  mutating func run(in context: Context) throws {
    let named = try ItemSelection(words)
    context.output.begin("items")
    guard !dryRun else {
      return try context.reading { open in
        let removal = try Removal(named, open, context)
        for target in removal.targets {
          removal.show("would remove", target, try removal.title(target, open), context)
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
      for target in removal.targets {
        try context.checkSignal()
        let title = try removal.title(target, open)
        try removal.remove(target, &open)
        removal.show("removed", target, title, context)
      }
      try open.workspace.settle()
      if removal.targets.isEmpty { context.output.summary("nothing changed") }
      context.output.count(
        removal.targets.count, "removed", selection,
        next: "\(typed: context.sameTables(["restore"] + words))")
    }
  }
}

private struct Removal {
  let targets: [Target]
  private let inventory: Inventory
  private let names: ItemNames

  init(_ selection: ItemSelection, _ open: OpenWorkspace, _ context: Context) throws {
    let inventory = try open.inventory()
    let targets: [Target]
    switch selection {
    case .references(let words):
      targets = try open.lookup(inventory, in: context).all(words)
    case .filters:
      targets = try selection.keys(inventory, open, in: context).map { Target($0) }
    }
    var claims = Claims()
    for target in targets {
      if let failure = try open.moved(target, &claims) { throw failure }
    }
    names = open.names(of: targets.compactMap(\.key), inventory)
    // The same command finishes an interrupted removal. A renamed item that waits for its
    // successor is gone only here.
    let gone = targets.compactMap(\.key).filter {
      (inventory.isAbsent($0) || !inventory.contains($0))
        && open.workspace.journal.successors[$0] == nil
    }
    if let key = gone.first, gone.count == targets.count {
      guard try inventory.contains(key) || open.workspace.base(of: key) != .neverSeen else {
        throw Failure.usage(
          "\(key) has no file here, and tsync knows no row of it",
          hints: try open.pullHint(of: key))
      }
      throw Failure.usage("\(key) is already removed")
    }
    self.inventory = inventory
    self.targets = targets.filter { $0.key.map { !gone.contains($0) } ?? true }
  }

  func title(_ target: Target, _ open: OpenWorkspace) throws -> String? {
    names.title(
      of: try target.key.flatMap {
        try inventory.item($0, on: open.workspace) ?? open.workspace.base(of: $0).item
      })
  }

  /// Removes an item, or a file that can't be one.
  func remove(_ target: Target, _ open: inout OpenWorkspace) throws {
    guard let key = target.key else {
      if let misnamedFile = target.misnamedFile {
        _ = try open.workspace.discard(misnamedFile, of: nil, in: target.table)
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
    Failure(.rejected, "another program changed \(key)", hints: ["try again"])
  }

  func show(_ verb: String, _ target: Target, _ title: String?, _ context: Context) {
    guard let key = target.key else {
      let place = target.misnamedFile?.place ?? ""
      context.output.append(
        ["table": .string(target.table.text), "path": .string(place), "did": .string(verb)],
        to: "items")
      return context.output.result(Line("\(verb) \(place)"))
    }
    context.output.show(Outcome(verb: verb, key: key, title: title), names)
  }
}
