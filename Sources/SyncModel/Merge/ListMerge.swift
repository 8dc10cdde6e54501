/// The three-way merge of a list: it has every addition and every removal of either side, and no other
/// change.
///
/// ```
///   base    a b c         each text, or each `id` of objects, stands once; an addition of the
///   client  a n b c       server's follows the element that it follows there, and behind that
///   server  a x c y       what the client added
///   merged  a n x c y
/// ```
///
/// The `id`s are texts, or whole numbers, in all three versions.
struct ListMerge {
  /// The names of the elements that a side has, in the merged order: the texts, or the ids.
  let names: [Text]
  /// The elements by name.
  let elements: Sides<[Text: JSON]>
  /// Whether the elements are texts.
  let isOfTexts: Bool
  /// The names in each version, if a side changed the order of those that all have.
  let order: Sides<[Text]>?

  /// Compares; `nil` where the list is one value.
  ///
  /// It is that if its elements can't be told apart, if both sides changed the order differently, and,
  /// of texts, if one side did, or both replaced one text by different ones.
  init?(_ lists: Sides<[JSON]>) {
    let keys = Sides { lists[$0].compactMap(Key.init) }
    let kinds = Set(Side.allCases.flatMap { keys[$0].map(\.kind) })
    guard kinds.count == 1,
      Side.allCases.allSatisfy({ Set(keys[$0]).count == lists[$0].count })
    else { return nil }
    let names = Sides { keys[$0].map(\.name) }
    let sets = Sides { Set(names[$0]) }
    let kept = sets.base.intersection(sets.client).intersection(sets.server)
    let orders = Sides { names[$0].filter(kept.contains) }
    isOfTexts = kinds.contains(.text)
    guard isOfTexts ? !orders.isChanged && !Self.replaceOne(sets) : !orders.isDisputed else {
      return nil
    }
    let (first, second) =
      orders.changer == .server ? (names.server, names.client) : (names.client, names.server)
    self.names = Self.joined(first, second, sets.base)
    elements = Sides { Dictionary(uniqueKeysWithValues: zip(names[$0], lists[$0])) }
    order = orders.isChanged ? names : nil
  }

  /// Whether both sides removed one text, and each added one that the other did not.
  private static func replaceOne(_ texts: Sides<Set<Text>>) -> Bool {
    let added = [(texts.client, texts.server), (texts.server, texts.client)].allSatisfy {
      !$0.subtracting(texts.base).isSubset(of: $1)
    }
    return added && !texts.base.isSubset(of: texts.client.union(texts.server))
  }

  /// Returns the names of two lists in the order of the first.
  private static func joined(_ first: [Text], _ second: [Text], _ base: Set<Text>) -> [Text] {
    let (known, others) = (Set(first), Set(second))
    // What the second list alone has, by what stands before it.
    var behind: [Text?: [Text]] = [:]
    var place: Text?
    for name in second {
      if known.contains(name) { place = name } else { behind[place, default: []].append(name) }
    }
    var names: [Text] = []
    var waiting = behind[nil] ?? []
    for name in first {
      // Additions of the first list go before those of the second.
      if base.contains(name) || others.contains(name) {
        names += waiting
        waiting = []
      }
      names.append(name)
      waiting += behind[name] ?? []
    }
    return names + waiting
  }
}

/// What an element of a list is known by.
private struct Key: Hashable {
  enum Kind { case text, textID, numberID }

  let kind: Kind
  let name: Text

  /// Takes a text, or an object's `id`; `nil` where there is none.
  init?(_ element: JSON) {
    switch (element, element.object?[Item.idField]) {
    case (.string(let text), _): (kind, name) = (.text, text)
    case (_, .string(let id)?): (kind, name) = (.textID, id)
    case (_, .number(let id)?):
      guard let whole = Decimal(id.text).whole else { return nil }
      (kind, name) = (.numberID, Text(whole))
    default: return nil
    }
  }
}
