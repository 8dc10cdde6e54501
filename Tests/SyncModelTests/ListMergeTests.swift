import SyncModel
import TestSupport
import Testing

@Suite("Merging of lists") struct ListMergeTests {
  /// What it is; base, client, server; the merged list, or `!` and the path in conflict; and the list
  /// with both sides swapped, if that has another order.
  ///
  /// `a` is a text, `a=` an object with the id `a`, `a=1` has a member, too; `0` is an empty list.
  static let rows = """
    added by one | a | a b | a | a b
    added by both | a | a b | b a | a b | b a
    each added one | a | a b | a c | a b c | a c b
    each added one at the beginning | a | b a | c a | b c a | c b a
    additions beside a removal | a b c | a n b c | a x c y | a n x c y | a x n c y
    added in the place of one, and after it | a b | a b n | a x | a x n
    removed by one | a b | b | a b | b
    each removed one | a b c | b c | a b | b
    all removed, and one added | a | 0 | a b | b
    added to an empty list | 0 | a | b | a b | b a
    a text replaced alike | a x | b x | b | b
    a text replaced differently | a x | b x | c x | ! l
    texts in another order | a b | b a | a b | b a
    texts in another order, and an addition | a b | b a | a b c | ! l
    texts in other orders | a b c | b a c | a c b | ! l
    a text twice | a | a a | a b | ! l
    a number among texts | a | a 1 | a b | ! l
    no base | null | a | b | ! l
    another base | {} | a | b | ! l
    each changed another element | a=1 b=1 | a=2 b=1 | a=1 b=2 | a=2 b=2
    both changed an element | a=1 b=1 | a=2 b=1 | a=3 b=2 | ! l.a.t
    both added an object, differently | 0 | a=1 | a=2 | ! l.a
    an object removed | a=1 b=1 | b=1 | a=1 b=2 | b=2
    an object removed, and changed | a=1 b=1 | b=1 | a=2 b=1 | ! l.a
    objects replaced | a= | b= | c= | b= c= | c= b=
    objects in another order, a change, an addition | a= b= | b= a= | a=2 b= c= | b= c= a=2
    objects in the same order | a= b= | b= a= | b= a=2 c= | b= a=2 c=
    objects in other orders | a= b= c= | b= a= c= | a= c= b= | ! l
    an id that is quoted | a.b=1 | a.b=2 | a.b=3 | ! l."a.b".t
    numbers as ids | 10= | 1e1=1 | 10.0= -2= | 10=1 -2=
    a number as id, in conflict | 0=1 | -0.0=2 | 0=3 | ! l.0.t
    a fraction as id | 1.5= | 1.5=1 | 1.5= 2= | ! l
    an id with too many digits | 1e99= | 1e99=1 | 1e99= 2= | ! l
    numbers and texts as ids | 1= | 1= a= | 1= 2= | ! l
    another kind of id on one side | 1= | "1"=1 | 1= 2= | ! l
    an id twice | 1= | 1= 1.0= | 1= 2= | ! l
    an object without id | a= | a= {} | a= b= | ! l
    no base of objects | null | a= | b= | ! l
    """.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }

  @Test("of texts, and of objects; with both sides swapped", arguments: rows)
  func merges(_ row: [String]) throws {
    let versions = try row[1...3].map { try Item(text: "{\"l\":\(Self.list($0))}") }
    for (client, server, wanted) in [(1, 2, row[4]), (2, 1, row.last ?? "")] {
      let merge = FieldMerge(base: versions[0], client: versions[client], server: versions[server])
      if merge.isDisputed {
        #expect(" ! " + merge.disputes.map(\.path.description).joined() == wanted)
      } else {
        #expect(merge.item() == (try Item(text: "{\"l\":\(Self.list(wanted))}")))
      }
    }
  }

  private static func list(_ words: String) -> String {
    let words = words.split(separator: " ").map(String.init)
    if ["null", "{}"].contains(words[0]) { return words[0] }
    let elements = words.filter { $0 != "0" }.map { word -> String in
      let parts = word.split(separator: "=", omittingEmptySubsequences: false)
      let name = word.first?.isLetter == true ? "\"\(parts[0])\"" : "\(parts[0])"
      if parts.count == 1 { return name }
      return "{\"id\":\(name)\(parts[1].isEmpty ? "" : ",\"t\":\(parts[1])")}"
    }
    return "[\(elements.joined(separator: ","))]"
  }

  @Test(
    "a merge has each side's additions and removals, nothing else, and merges again to itself",
    arguments: 0..<10 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var merges = 0
    for number in 0..<10_000 {
      let old = Array((0..<8).shuffled(using: &random).prefix(random.below(5)))
      var names = [old, old, old]
      for side in 1...2 {
        names[side].removeAll { _ in random.once(in: 4) }
        for new in 0..<8 where !old.contains(new) && random.once(in: 6) {
          names[side].insert(new, at: random.below(names[side].count + 1))
        }
        if random.once(in: 12) { names[side].reverse() }
      }
      let items = names.map { names in
        let elements = names.map { name -> JSON in
          number % 2 == 0
            ? .string("\(name)") : ["id": .integer(name), "t": .bool(random.once(in: 9))]
        }
        return Item(JSONObject([.init(name: "l", value: .array(elements))]))
      }
      let merge = FieldMerge(base: items[0], client: items[1], server: items[2])
      if merge.isDisputed { continue }
      merges += 1
      let merged = merge.item()
      let found = merged["l"]?.elements?.map {
        $0.object?["id"]?.integer ?? Int($0.text?.string ?? "")
      }
      let wanted = (0..<8).filter { name in
        let has = names.map { $0.contains(name) }
        return has[0] ? has[1] && has[2] : has[1] || has[2]
      }
      try #require(found?.compactMap(\.self).sorted() == wanted, "\(number): \(names)")
      let again = FieldMerge(base: items[0], client: merged, server: items[2])
      try #require(!again.isDisputed && again.item() == merged, "\(number): \(names)")
    }
    #expect(merges > 5_000)
  }
}
