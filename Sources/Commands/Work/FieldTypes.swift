import SyncEngine
import SyncModel

/// Sets fields, of the types that they have in a workspace's items.
struct FieldTypes {
  private let inventory: Inventory
  private let dates: DateWords
  /// New fields that are meant.
  private let accepted: Set<Text>
  private var items: [TableName: ItemFilters.Items] = [:]
  private var samples: [TableName: [Text: ItemFilters.Value?]] = [:]
  private var dateFields: [TableName: [Text: DateField?]] = [:]
  /// Fields that no item had, with what a typed date would be.
  private var made: [(field: Text, date: Text?)] = []

  init(_ inventory: Inventory, _ dates: DateWords, accepting accepted: Set<Text> = []) {
    (self.inventory, self.dates, self.accepted) = (inventory, dates, accepted)
  }

  /// Sets a field or a member of an item.
  ///
  /// - Throws: ``Problem`` if the type is wrong; ``NewField`` if the name may be a mistake.
  mutating func apply(
    _ assignment: Assignment, to item: inout Item, _ key: ItemKey, on disk: some Disk
  ) throws {
    let name = assignment.field
    let path = try path(of: name, in: item, key, on: disk)
    let own = item.value(at: path).flatMap { $0.isNull ? nil : (key: key, value: $0) }
    func sample() throws -> ItemFilters.Value? {
      try own ?? self.sample(of: name, in: key.table, on: disk)
    }
    var value: JSON?
    switch assignment.value {
    case .none: value = nil
    case .json(let json): value = json
    case .typed(let text) where name == Item.idField: value = .string(text)
    case .typed(let text): value = try typed(text, name, sample(), in: key.table, on: disk)
    case .added(let text), .removed(let text):
      guard let (other, list) = try sample() else {
        throw Problem.usage("\(name) is not a list in any item")
      }
      guard let known = list.elements else {
        throw Problem.usage("\(name) is not a list in \(other)")
      }
      let lists = try values(of: name, in: key.table, on: disk).compactMap(\.value.elements)
      let example = ([known] + lists).first { !$0.isEmpty }?.first ?? ""
      let element = try Assignment.value(text, like: example, field: name, of: other)
      var elements = own?.value.elements ?? []
      if case .removed = assignment.value {
        elements.removeAll { $0 == element }
      } else if !elements.contains(element) {
        elements.append(element)
      }
      if own == nil, elements.isEmpty { return }
      value = .array(elements)
    }
    guard item.set(value, at: path) else {
      throw Problem.usage("\(path.field) is not an object in \(key)")
    }
    if own == nil { try check(name, at: path, key.table, assignment, on: disk) }
  }

  /// Tells which fields no item had before.
  func tell(_ printer: Printer) {
    for (field, date) in made {
      let remark = date.map { " (a text; as a date: \(field)=\($0))" } ?? ""
      printer.summary(Line("new field: \(field)\(remark)"))
    }
  }

  /// Returns what a name means: a field of the whole name, else a member of an object.
  private mutating func path(
    of name: Text, in item: Item, _ key: ItemKey, on disk: some Disk
  ) throws -> FieldPath {
    let whole = FieldPath(name)
    guard let path = FieldPath(reading: name), item[name] == nil else { return whole }
    if path.parent == nil || item[path.field] != nil { return path }
    let others = try items(of: key.table, on: disk)
    if others.contains(where: { $0.item[name] != nil }) { return whole }
    guard others.contains(where: { $0.item[path.field]?.object != nil }) else {
      if accepted.contains(name) { return whole }
      throw Problem.usage(
        "no item has an object '\(path.field)'",
        hints: ["to make a field of this name, add --new-field"])
    }
    return path
  }

  private mutating func typed(
    _ text: Text, _ name: Text, _ sample: ItemFilters.Value?, in table: TableName,
    on disk: some Disk
  ) throws -> JSON {
    guard let (key, value) = sample else { return .string(text) }
    // Where any item has a date, a word such as "friday" is one.
    let isWord = dates.relative(text) != nil
    if !text.isEmpty, let old = value.text, isWord || old.isEmpty || DateSpan.isDate(old) {
      let values = try values(of: name, in: table, on: disk)
      let known =
        dateFields[table]?[name] ?? DateField(values)
        ?? (isWord ? DateField(values.filter { $0.value.text.map(DateSpan.isDate) == true }) : nil)
      dateFields[table, default: [:]][name] = .some(known)
      if let known { return .string(try known.text(of: text, name, like: old, dates)) }
    }
    return try Assignment.value(text, like: value, field: name, of: key)
  }

  /// Notes a new field.
  ///
  /// - Throws: ``NewField`` if its name is near a known one.
  private mutating func check(
    _ name: Text, at path: FieldPath, _ table: TableName, _ assignment: Assignment,
    on disk: some Disk
  ) throws {
    guard name != Item.idField, try sample(of: name, in: table, on: disk) == nil,
      !made.contains(where: { $0.field == name })
    else { return }
    var date: Text?
    if case .typed(let text) = assignment.value { date = dates.relative(text)?.text }
    let items = try items(of: table, on: disk)
    guard !items.isEmpty || date != nil else { return }
    // A member is compared with those beside it.
    let beside = items.compactMap { item in
      path.parent.map { item.item.value(at: $0)?.object } ?? item.item.fields
    }
    let last = path.steps[path.steps.count - 1].string
    let names = Set(beside.flatMap { $0.members.map(\.name.string) })
    if names.contains(last) { return }
    if case .none = assignment.value {
      let near = HabitWords.nearest(last, of: names.sorted())
      throw Problem.usage(
        "no item has a field '\(name)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
    }
    if !accepted.contains(name), let near = HabitWords.near(last, of: names.sorted()) {
      throw NewField(
        name: name, near: path.parent.map { $0.appending(Text(near)).text } ?? Text(near))
    }
    made.append((name, date))
  }

  private mutating func items(
    of table: TableName, on disk: some Disk
  ) throws -> ItemFilters.Items {
    if let known = items[table] { return known }
    let found = try inventory.items(on: disk).filter { $0.key.table == table }
    items[table] = found
    return found
  }

  private mutating func values(
    of name: Text, in table: TableName, on disk: some Disk
  ) throws -> [ItemFilters.Value] {
    try items(of: table, on: disk).compactMap { key, item in
      item.value(named: name).map { (key, $0) }
    }
  }

  /// Returns the first item of a table that has a field or member, and its value.
  private mutating func sample(
    of name: Text, in table: TableName, on disk: some Disk
  ) throws -> ItemFilters.Value? {
    if let known = samples[table]?[name] { return known }
    var found: ItemFilters.Value?
    for key in inventory.keys where key.table == table && found == nil {
      found = try inventory.item(key, on: disk)?.value(named: name).map { (key, $0) }
    }
    samples[table, default: [:]][name] = .some(found)
    return found
  }
}

/// A field that no item has, and whose name is near a known one.
struct NewField: Error {
  let name: Text
  let near: Text
}

extension Context {
  /// Runs a body with assignments; where a new field may be a mistake, a person is asked.
  ///
  /// The body gets the assignments, and the new fields that are meant.
  ///
  /// - Throws: ``Problem`` if tsync can't ask, with the command that makes the field.
  func settingFields(
    _ assignments: [Assignment], isMeant: Bool,
    _ body: ([Assignment], Set<Text>) throws -> Void
  ) throws {
    var assignments = assignments
    var accepted = Set(isMeant ? assignments.map(\.field) : [])
    while true {
      do { return try body(assignments, accepted) } catch let new as NewField {
        let fact = "no item has a field '\(new.name)'; did you mean '\(new.near)'?"
        guard canAsk, !options.json else {
          throw Problem.usage(fact, hints: ["to make it, add --new-field"])
        }
        switch try ask(Line("\(fact) [y]es, [m]ake it, [q]uit: [y]"), ["yes", "make", "quit"]) {
        case "yes"?: assignments = assignments.map { $0.field == new.name ? $0.of(new.near) : $0 }
        case "make"?: accepted.insert(new.name)
        default: return printer.summary("nothing changed")
        }
      }
    }
  }
}
