import SyncModel
import TestSupport
import Testing

@Suite("Filters: any words")
struct FilterPropertyTests {
  /// An item as a struct, so that what fits can be said without the code under test.
  struct Chore {
    var text: String?
    var prio: Int?
    var due: String?
    var done: Bool?
    var tags: [String]?
    var city: String?

    init(_ random: inout SplitMix64) {
      text = ["Milk", "oat milk", "", "Bread", nil][random.below(5)]
      prio = [nil, 1, 2, 10][random.below(4)]
      let hours = ["", "T00:00:00Z", "T23:59:59.9999999Z", "T12:00:00.000Z"]
      let day = "2026-0\(1 + random.below(3))-0\(1 + random.below(9))"
      due = [nil, "", day + hours[random.below(4)], day + hours[random.below(4)]][random.below(4)]
      done = [nil, true, false][random.below(3)]
      tags = [nil, [], ["home"], ["home", "shop"]][random.below(4)]
      city = [nil, "Rom", "Oslo"][random.below(3)]
    }

    var item: Item {
      var members = JSONObject()
      members["text"] = text.map { .string(Text($0)) }
      members["prio"] = prio.map { .number(JSONNumber($0)) }
      members["due"] = due.map { .string(Text($0)) }
      members["done"] = done.map(JSON.bool)
      members["tags"] = tags.map { .array($0.map { .string(Text($0)) }) }
      members["addr"] = city.map {
        .object(JSONObject([.init(name: "city", value: .string(Text($0)))]))
      }
      return Item(members)
    }
  }

  typealias Condition = (word: String, fits: (Chore) -> Bool)

  private static func compared<Value: Comparable>(
    _ field: String, _ value: Value, _ typed: String, _ random: inout SplitMix64,
    _ known: @escaping (Chore) -> Value?
  ) -> Condition {
    let isTyped: (Chore) -> Bool = { known($0) == value }
    switch random.below(6) {
    case 0: return ("\(field)=\(typed)", isTyped)
    case 1: return ("\(field).ne=\(typed)", { !isTyped($0) })
    case 2: return ("\(field).lt=\(typed)", { known($0).map { $0 < value } ?? false })
    case 3: return ("\(field).le=\(typed)", { known($0).map { $0 <= value } ?? false })
    case 4: return ("\(field).gt=\(typed)", { known($0).map { $0 > value } ?? false })
    default: return ("\(field).ge=\(typed)", { known($0).map { $0 >= value } ?? false })
    }
  }

  private static func condition(_ random: inout SplitMix64) -> Condition {
    switch random.below(9) {
    case 0:
      let text = ["Milk", "milk", "oat", "Bread"][random.below(4)]
      return compared("text", text, text, &random) { $0.text }
    case 1:
      let part = ["MIL", "k", "oat m", "x"][random.below(4)]
      return ("text.has=\(part)", { $0.text?.lowercased().contains(part.lowercased()) ?? false })
    case 2:
      let number = [1, 2, 10][random.below(3)]
      return compared("prio", number, ["\(number)", "\(number).0"][random.below(2)], &random) {
        $0.prio
      }
    case 3, 4:
      let day = "2026-0\(1 + random.below(3))-0\(1 + random.below(9))"
      return compared("due", day, day, &random) {
        $0.due.flatMap { $0 == "" ? nil : String($0.prefix(10)) }
      }
    case 5:
      let flag = random.below(2) == 0
      return [("done=\(flag)", { $0.done == flag }), ("done.ne=\(flag)", { $0.done != flag })][
        random.below(2)]
    case 6:
      let tag = ["home", "shop", "hom"][random.below(3)]
      return ("tags.has=\(tag)", { $0.tags?.contains(tag) ?? false })
    case 7:
      let city = ["Rom", "Oslo", "Bern"][random.below(3)]
      return compared("addr.city", city, city, &random) { $0.city }
    default:
      let fixed: [Condition] = [
        ("text=", { ($0.text ?? "").isEmpty }), ("due.ne=", { !($0.due ?? "").isEmpty }),
        ("prio.in=1,10", { $0.prio == 1 || $0.prio == 10 }), ("addr.city=", { $0.city == nil }),
        (
          "due.in=2026-01-01,2026-02-02",
          { chore in ["2026-01-01", "2026-02-02"].contains(chore.due.map { String($0.prefix(10)) })
          }
        ),
      ]
      return fixed[random.below(fixed.count)]
    }
  }

  @Test("10,000 filters with members, days, lists and 'or' fit what a slow reading says")
  func random() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let chores = (0..<20).map { _ in Chore(&random) }
    let items = chores.map(\.item)
    for _ in 0..<10_000 {
      let groups = (0...random.below(3)).map { _ in
        (0...random.below(3)).map { _ in Self.condition(&random) }
      }
      let words = groups.map { $0.map(\.word) }.joined(separator: ["or"])
      let query = try Query(name: "q", table: TableName("todoitem"), filter: words.map { Text($0) })
        .reading { word in
          CivilDate(word).map { day in
            let start = day.daysSince1970 * 86_400 * Timestamp.perSecond
            return DateSpan(day, from: start, to: start + 86_400 * Timestamp.perSecond)
          }
        }
      for (chore, item) in zip(chores, items) {
        let expected = groups.contains { $0.allSatisfy { $0.fits(chore) } }
        #expect(
          query.fits(try ItemID("a"), item) == expected,
          "seed \(seed): \(words.joined(separator: " ")), \(JSON.object(item.fields))")
      }
    }
  }
}
