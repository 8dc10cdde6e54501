import SyncEngine
import SyncModel
import Workspace

extension Context {
  /// Changes items, and prints those that differ with `word`; filters may ask first.
  ///
  /// A rehearsal prints what would be changed.
  /// `verb` is for the question, `words` and `look` are for its hints.
  func change(
    _ named: ItemSelection, _ isSure: Bool, to verb: String, words: [String], look: [String],
    as word: String, showsFields: Bool = true, isRehearsal: Bool = false,
    accepting accepted: Set<Text> = [],
    _ transform: (ItemKey, Item, inout FieldTypes, Session) throws -> Item
  ) throws {
    guard
      let selection = try confirmed(
        named, isSure || isRehearsal, to: verb, words: words, look: look)
    else { return }
    try open(for: isRehearsal ? .reading : .writing) { session in
      let inventory = try session.inventory()
      let keys = try selection.keys(inventory, session)
      var types = FieldTypes(inventory, session.dates, accepting: accepted)
      let before = session
      let changes = try session.change(keys, isRehearsal: isRehearsal) {
        try transform($0, $1, &types, before)
      }
      printer.show(
        changes, as: isRehearsal ? "would \(verb)" : word, showsFields: showsFields,
        session.names(of: keys, inventory))
      types.tell(printer)
      if !isRehearsal { printer.count(changes.count, word, selection) }
    }
  }
}

extension Printer {
  /// Prints the changed items with their fields, or `nothing changed`.
  func show(
    _ changes: [ItemChange], as verb: String = "changed", showsFields: Bool = true,
    _ names: ItemNames
  ) {
    begin("items")
    for change in changes {
      show(
        Outcome(
          verb: verb, key: change.key, title: names.title(of: change.new), fields: change.fields,
          remark: showsFields ? nil : ""), names)
    }
    if changes.isEmpty { summary("nothing changed") }
  }

  /// Prints the number of items if filters chose them, or there are several.
  func count(_ count: Int, _ verb: String, _ selection: ItemSelection, next: Hint? = nil) {
    guard count > 1 || count == 1 && selection.isByFilter else { return }
    summary(Line("\(count) \(verb)"), next: next)
  }
}
