import SyncEngine
import SyncModel
import TestSupport

// What users do with files, between commands and in their midst.
extension Simulation {
  /// A user saves: a new item, a field of one that is there, or one that was deleted.
  ///
  /// In the midst of a command it is half of the time the item that the command is at.
  func save(_ client: Client<Host>, _ user: inout Host.User, _ dice: inout SplitMix64) {
    guard let any = key(client, user, &dice) else { return }
    let isNear = savedMeanwhile != nil && dice.once(in: 2)
    let key = isNear ? client.shown.current ?? any : any
    let old = Self.item(in: user.text(of: key))
    let (token, item) = edited(old, &dice)
    put(Self.text(item, key.id), as: key, client, &user, &dice)
    if Token.all(in: item).contains(token) { client.kept[token] = key }
    if isGivingUp { givenUp.insert(token) }
  }

  /// A user writes what the server has: two have talked, and one gives in.
  ///
  /// Nobody copies an id that another client has made at random.
  func agree(_ client: Client<Host>, _ user: inout Host.User, _ dice: inout SplitMix64) {
    let others = clients.filter { $0.number != client.number }.map { "c\($0.number)" }
    let rows = server.rows.filter { row in
      !row.value.deleted
        && !(isOwnAtRandom && others.contains(where: row.key.id.text.string.hasSuffix))
    }.keys.sorted()
    let open = rows.filter(conflicts(of: client).contains)
    guard let key = Self.any(open.isEmpty ? rows : open, &dice), let row = server.rows[key] else {
      return
    }
    client.shown.note(row.item, key)
    put(Self.text(row.item, key.id), as: key, client, &user, &dice)
    count("agreed")
  }

  /// A user saves a text that ends in its midst.
  func garble(_ client: Client<Host>, _ user: inout Host.User, _ dice: inout SplitMix64) {
    guard let key = anyKey(user, &dice), let old = user.text(of: key), !old.isEmpty else { return }
    put(Array(old.prefix(dice.below(old.count))), as: key, client, &user, &dice)
    count("garbled")
  }

  /// Somebody changes a row at the server: a field, or deletes it, or brings it back; now and then
  /// all are deleted.
  func changeElsewhere(_ wanted: ItemKey?, _ dice: inout SplitMix64) {
    guard let key = wanted ?? Self.any(server.rows.keys.sorted(), &dice), let row = server.rows[key]
    else { return }
    count("changed elsewhere")
    if dice.once(in: 12) {
      note("somebody deletes everything")
      for (key, row) in server.rows.sorted(by: { $0.key < $1.key }) where !row.deleted {
        _ = server.store(nil, key, by: -1, over: row)
      }
      return
    }
    note("somebody changes \(key)")
    let isDelete = !row.deleted && dice.once(in: 4)
    let item = isDelete ? nil : edited(row.item, &dice).1
    _ = server.store(item, key, by: -1, over: row)
  }

  /// A user deletes a file.
  func delete(_ client: Client<Host>, _ user: inout Host.User, _ dice: inout SplitMix64) {
    guard let key = anyKey(user, &dice) else { return }
    put(nil, as: key, client, &user, &dice)
  }

  /// A user deletes every file.
  func clear(_ client: Client<Host>, _ user: inout Host.User, _ dice: inout SplitMix64) {
    for key in user.items { put(nil, as: key, client, &user, &dice) }
  }

  /// A user gives a file another name.
  func rename(_ client: Client<Host>, _ user: inout Host.User, _ dice: inout SplitMix64) {
    guard let key = anyKey(user, &dice), let new = self.key(client, user, &dice, isNew: true),
      new != key, let text = user.text(of: key)
    else { return }
    put(text, as: new, client, &user, &dice, isMaking: false)
    client.shown.overwritten[key, default: []].formUnion(Token.all(in: text))
    client.touched.insert(key)
    client.deleted.insert(key)
    user.save(nil, as: key, &dice)
    note("\(client.number) renames \(key)")
    count("renamed")
  }

  /// A user edits the client's side of a conflict.
  func editSide(_ client: Client<Host>, _ user: inout Host.User, _ dice: inout SplitMix64) {
    // Of sides that a killed command has laid nobody has been told.
    let told = user.laidSides.filter(conflicts(of: client).contains)
    guard let key = Self.any(told, &dice) else { return }
    let old = user.side(of: key)
    let (token, item) = edited(Self.item(in: old), &dice)
    forget(old.map { Token.all(in: $0) } ?? [], unless: Token.all(in: item))
    client.shown.overwritten[key, default: []].formUnion(old.map { Token.all(in: $0) } ?? [])
    client.shown.bringBack(Token.all(in: item), key)
    client.touched.insert(key)
    user.saveSide(Self.text(item, key.id), of: key)
    if Token.all(in: item).contains(token) { client.kept[token] = key }
    note("\(client.number) edits side \(key)")
    count("side edited")
  }

  /// A user removes the client's side of a conflict.
  func dropSide(_ client: Client<Host>, _ user: inout Host.User, _ dice: inout SplitMix64) {
    guard let key = Self.any(user.laidSides, &dice) else { return }
    forget(user.side(of: key).map { Token.all(in: $0) } ?? [], unless: [])
    client.deleted.insert(key)
    user.saveSide(nil, of: key)
    note("\(client.number) removes side \(key)")
  }

  /// A user mends what can't be an item: finishes the text, or gives a renamed file its id; and puts
  /// something else where the server breaks on it.
  func mend(_ client: Client<Host>) {
    var dice = SplitMix64(seed: 0)
    let refused = rejections(of: client)
    for key in client.host.user.items {
      guard let old = client.host.user.text(of: key) else { continue }
      let object = try? JSON(parsing: old).object
      let isIndigestible = Token.all(in: old).contains(where: Token.isIndigestible)
      if Self.id(in: old) == key.id.text, !isIndigestible || !refused.contains(key) { continue }
      let item = digestible(object.map { Item($0) }, &dice)
      remade.insert(key)
      var user = client.host.user
      put(Self.text(item, key.id), as: key, client, &user, &dice)
      client.host.user = user
    }
    for key in client.host.user.laidSides {
      guard let old = client.host.user.side(of: key) else { continue }
      if Self.id(in: old) == key.id.text { continue }
      forget(Token.all(in: old), unless: [])
      client.host.user.saveSide(Self.text(digestible(nil, &dice), key.id), of: key)
    }
  }

  /// Returns an item, or one made for it, that the server does not break on.
  private func digestible(_ item: Item?, _ dice: inout SplitMix64) -> Item {
    var item = item ?? edited(nil, &dice).1
    while Token.all(in: item).contains(where: Token.isIndigestible) {
      item = edited(nil, &dice).1
    }
    return item
  }

  /// Saves a file; what its user overwrites or deletes is the user's own loss.
  private func put(
    _ text: [UInt8]?, as key: ItemKey, _ client: Client<Host>, _ user: inout Host.User,
    _ dice: inout SplitMix64, isMaking: Bool = true
  ) {
    let old = user.text(of: key).map { Token.all(in: $0) } ?? []
    forget(old, unless: text.map { Token.all(in: $0) } ?? [])
    client.shown.overwritten[key, default: []].formUnion(old)
    client.shown.tokens[key, default: []].formUnion(old)
    client.shown.laid[key] = text.map { Token.all(in: $0) } ?? []
    client.shown.bringBack(client.shown.laid[key] ?? [], key)
    if text != nil, isMaking { made.insert(key) }
    client.moves[key] = nil
    if text == nil { client.deleted.insert(key) }
    client.touched.insert(key)
    let isItem = user.text(of: key).map { Self.id(in: $0) == key.id.text } ?? false
    if text == nil || !isItem && server.past[key] != nil { remade.insert(key) }
    if let before = savedMeanwhile?[key] {
      // Who saves twice while a command swaps files may have overwritten its text, not the first
      // save's, and a third time what the second displaced: some of them lie in the trash.
      givenUp.formUnion(before.union(text.map { Token.all(in: $0) } ?? []))
    }
    savedMeanwhile?[key, default: []].formUnion(text.map { Token.all(in: $0) } ?? [])
    user.save(text, as: key, &dice)
    note("\(client.number) saves \(key) \(text.map { String(decoding: $0, as: UTF8.self) } ?? "-")")
  }

  /// The conflicts that a client's user knows of.
  func conflicts(of client: Client<Host>) -> Set<ItemKey> {
    do {
      return try client.host.look { try Set($0.conflicts(in: table)) }
    } catch {
      fail("M: client \(client.number) can't be looked at: \(error)")
      return []
    }
  }

  /// Takes tokens as given up.
  func forget(_ old: Set<Int>, unless new: Set<Int>) {
    for token in old.subtracting(new) {
      for client in clients { client.kept[token] = nil }
    }
  }

  /// Returns an item with a token that was never used.
  func edited(_ item: Item?, _ dice: inout SplitMix64) -> (Int, Item) {
    let token = nextToken()
    let names: [Text] = ["text", "note", "due"]
    var item = item ?? Item(JSONObject())
    switch plan.world.lists ? dice.below(4) : 0 {
    case 1: item.fields["tags"] = Self.edited(item["tags"], Token.value(token), &dice)
    case 2:
      item.fields["sub"] = Self.edited(
        item["sub"], Token.value(token), id: "s\(dice.below(4))", &dice)
    default: item.fields[names[dice.below(names.count)]] = Token.value(token)
    }
    if dice.once(in: 12) { item.fields[names[dice.below(names.count)]] = nil }
    return (token, item)
  }

  /// Returns a list with a token: as one of its texts, or in the object with an id.
  ///
  /// At times an element is taken out, or the order turned.
  private static func edited(
    _ list: JSON?, _ token: JSON, id: String? = nil, _ dice: inout SplitMix64
  ) -> JSON {
    var elements = list?.elements ?? []
    if !elements.isEmpty, dice.once(in: 3) { elements.remove(at: dice.below(elements.count)) }
    if dice.once(in: 12) { elements.reverse() }
    var element = token
    if let id {
      let old = elements.firstIndex { $0.object?[Item.idField] == .string(id) }
      var object = old.flatMap { elements.remove(at: $0).object } ?? JSONObject()
      object[Item.idField] = .string(id)
      object[["text", "note"][dice.below(2)]] = token
      element = .object(object)
    }
    elements.insert(element, at: dice.below(elements.count + 1))
    return .array(elements)
  }

  /// Returns an item to save: one that is there, one that others may have too, or one of its own.
  private func key(
    _ client: Client<Host>, _ user: Host.User, _ dice: inout SplitMix64, isNew: Bool = false
  ) -> ItemKey? {
    let isOld = dice.once(in: 2)
    let number = dice.below(plan.world.items)
    let own =
      isOwnAtRandom
      ? "\(String(repeating: "0", count: 28))a\(number)c\(client.number)"
      : "item-\(number)-\(client.number)"
    let id = dice.once(in: 3) ? own : "item-\(number)"
    if isOld, !isNew, let key = anyKey(user, &dice) { return key }
    return (try? ItemID(Text(id))).map { ItemKey(table, $0) }
  }

  /// Returns one of the items whose files are there.
  func anyKey(_ user: Host.User, _ dice: inout SplitMix64) -> ItemKey? {
    Self.any(user.items, &dice)
  }

  private static func any(_ keys: [ItemKey], _ dice: inout SplitMix64) -> ItemKey? {
    let number = dice.next()
    return keys.isEmpty ? nil : keys[Int(number % UInt64(keys.count))]
  }

  static func item(in text: [UInt8]?) -> Item? {
    guard let text, let object = try? JSON(parsing: text).object else { return nil }
    return Item(object)
  }

  /// The id that a text has, where it is an item's.
  private static func id(in text: [UInt8]) -> Text? {
    (try? JSON(parsing: text).object)?[Item.idField]?.text
  }

  static func text(_ item: Item, _ id: ItemID) -> [UInt8] {
    JSON.object(item.object(id: id, omittingNulls: true)).encoded()
  }
}
