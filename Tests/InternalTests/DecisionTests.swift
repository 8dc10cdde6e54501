import SyncModel
import TestSupport
import Testing

@testable import SyncEngine

@Suite("What becomes of an item to which a row is brought") struct DecisionTests {
  /// What is known, the item's file, the row that comes, and what is decided.
  struct Case: CustomTestStringConvertible, Sendable {
    let base, client, row: String
    let flags: [String]
    let decided: String

    init(_ base: String, _ client: String, _ row: String, _ flags: String, _ decided: String) {
      (self.base, self.client, self.row, self.decided) = (base, client, row, decided)
      self.flags = flags.split(separator: " ").map(String.init)
    }

    var testDescription: String { "\(base), \(client), \(row) \(flags)" }
  }

  /// The cases, each in a few letters.
  ///
  /// `-` is nothing, `!` an invalid file, `a1` an item with `a` as 1, `†a1` a row that was deleted and
  /// held that; the flags are the rule and the states. What is decided names the item, what is told, and
  /// what goes to the trash.
  static let table: [Case] = [
    // Nothing was known.
    Case("-", "-", "a1", "", "write a1 added"), Case("-", "a1", "a1", "", "take"),
    Case("-", "a2", "a1", "", "conflict AA"),
    Case("-", "a2", "a1", "client", "take merged a2 keeps a1"),
    Case("-", "a2", "a1", "server", "write a1 merged a1"),
    Case("-", "a2", "a1", "manual", "conflict AA"),
    Case("-", "-", "†a1", "", "take"), Case("-", "a1", "†a1", "", "conflict AD"),
    Case("-", "a1", "†a1", "client", "conflict AD"), Case("-", "a1", "†", "server", "conflict AD"),
    Case("-", "!", "a1", "", "wait invalid"), Case("-", "-", "a1", "attempt", "wait inFlight"),
    // A live row was known.
    Case("a1", "a1", "a2", "", "write a2 updated"),
    Case("a1", "a1", "a2", "manual", "write a2 updated"),
    Case("a1", "a2", "a2", "", "take"), Case("a1", "a2", "a1", "", "take"),
    Case("a1", "a2", "a3", "", "conflict MM"),
    Case("a1", "a2", "a3", "client", "take merged a2 keeps a3"),
    Case("a1", "a2", "a3", "server", "write a3 merged a3"),
    Case("a1b1", "a2b1", "a1b2", "", "write a2b2 merged a2b2"),
    Case("a1b1", "a2b1", "a1b2", "manual", "conflict MM"),
    Case("a1", "-", "a1", "", "take"), Case("a1", "-", "a2", "", "conflict DM"),
    Case("a1", "-", "a2", "client", "take merged a2 keeps a2"),
    Case("a1", "-", "a2", "server", "write a2 merged a2"),
    Case("a1", "a1", "†a1", "", "write - removed a1"),
    Case("a1", "a1", "†a2", "", "write - removed a1 keeps a2"),
    Case("a1", "a2", "†a1", "", "conflict MD"),
    Case("a1", "a2", "†a1", "client", "take merged a2 undeletes"),
    Case("a1b1", "a2b1", "†a1b2", "client", "write a2b2 merged a2b2 undeletes keeps a1b2"),
    Case("a1", "a2", "†a1", "server", "write - merged a2"),
    Case("a1", "-", "†a1", "", "take keeps a1"), Case("a1", "-", "†a1", "removed", "take"),
    Case("a1", "-", "†a2", "removed", "take keeps a2"),
    Case("a1", "!", "a2", "", "wait invalid"), Case("a1", "!", "†a1", "server", "wait invalid"),
    Case("a1", "a2", "a3", "attempt", "wait inFlight"),
    Case("a1", "!", "†a1", "attempt", "wait inFlight"),
    // Others have become it.
    Case("a1", "a1", "a2", "awaited", "write a2 updated"),
    Case("a1", "a2", "a3", "awaited server", "conflict MM"),
    Case("a1", "a2", "a2", "awaited", "take"),
    Case("-", "a2", "a1", "awaited client", "conflict AA"),
    Case("a1", "a1", "†a1", "awaited", "write - removed a1"),
    Case("a1", "-", "†a1", "awaited", "take keeps a1"),
    // A conflict is open; it began from the base.
    Case("a1", "a2", "a3", "open", "conflict MM"), Case("a1", "a2", "a2", "open", "take"),
    Case("a1", "a1", "a3", "open", "write a3 updated"),
    Case("a1", "a2", "a2", "open side", "conflict MM"),
    Case("a1", "a1", "a3", "open side", "conflict MM"),
    Case("a1", "a2", "†a1", "open side", "conflict MD"),
    Case("a1", "!", "a3", "open side", "wait invalid"),
    Case("a1", "a2", "a3", "open side server", "conflict MM"),
    // A rule that was set since decides, but over no file that was edited since.
    Case("a1", "a2", "a3", "open server", "write a3 merged a3"),
    Case("a1", "a2", "a3", "open client", "take merged a2 keeps a3"),
    Case("a1", "a2", "a3", "open edited server", "conflict MM"),
    Case("a1", "a1", "a3", "open edited", "write a3 updated"),
    Case("a1b1", "a2b2", "a2b1", "open edited", "take merged a2b2"),
    Case("a1b1", "a1b2", "a2b1", "open edited", "write a2b2 merged a2b2"),
    // That the file is missing decides nothing, but that a command has removed it.
    Case("a1", "-", "a3", "open", "conflict DM"), Case("a1", "-", "†a1", "open", "conflict DM"),
    Case("a1", "-", "a3", "open gone client", "conflict DM"),
    Case("a1", "-", "a3", "open gone server", "conflict DM"),
    Case("a1", "-", "†a1", "open gone", "take keeps a1"),
    Case("a1", "-", "a3", "open client", "conflict DM"),
    Case("a1", "-", "a1", "open", "conflict DM"),
    Case("a1", "-", "†a1", "open removed", "take"),
    Case("a1", "-", "a3", "open removed client", "conflict DM"),
    Case("a1", "a1", "†a1", "open", "conflict MD"),
    // The row answers a write of what the base says.
    Case("a1", "a1", "a2", "mine", "write a2 updated"),
    Case("a1", "a3", "a2", "mine", "take merged a3"),
    Case("a1", "a3b1", "a2", "mine client", "take merged a3b1"),
    Case("a1", "-", "a2", "mine", "take"), Case("a1", "a3", "a2", "mine open", "conflict MM"),
    Case("a1", "a1", "a2", "mine awaited", "write a2 updated"),
    // A deleted row was known.
    Case("†a1", "-", "a1", "", "write a1 added"), Case("†a1", "-", "†a2", "", "take keeps a2"),
    Case("†a1", "a1", "a1", "", "take"), Case("†a1", "a2", "a3", "", "conflict AA"),
    Case("†a1", "a1", "†a1", "", "take"), Case("†a1", "a2", "†a1", "", "take"),
    Case("†a1", "a1", "†a2", "", "write a2 updated keeps a2"),
    Case("†a1", "a2", "†a3", "", "conflict MD"),
    Case("†a1", "a2", "†a3", "client", "take merged a2 keeps a3"),
    Case("†a1b1", "a2b1", "†a1b2", "", "write a2b2 merged a2b2 keeps a1b2"),
    Case("†", "a2", "†a3", "", "take keeps a3"), Case("†a1", "!", "a1", "", "wait invalid"),
  ]

  @Test("by what is known, the file, the row and the rule", arguments: table)
  func decides(_ row: Case) throws {
    let arrived = try #require(try Self.row(row.row, version: "v2"))
    let base = try Self.row(row.base, version: "v1").map(Base.init) ?? .neverSeen
    let isOpen = row.flags.contains("open")
    let isEdited = row.flags.contains("edited")
    let isGone = row.flags.contains("gone")
    let file =
      isGone
      ? nil : isEdited || row.client == "-" ? Digest(of: []) : Digest(of: Array(row.client.utf8))
    let known = Known(
      base: base, arrival: Arrival(arrived, isMine: row.flags.contains("mine")),
      hasAttempt: row.flags.contains("attempt"),
      laid: isOpen ? Laid(file: file, row: Digest(of: arrived.text)) : nil,
      hasFormers: row.flags.contains("awaited"), isRemoved: row.flags.contains("removed"))
    let rule = row.flags.lazy.compactMap(MergePolicy.Rule.init).first ?? .fields
    let client: ClientState =
      switch row.client {
      case "!": .invalid(InvalidItem(place: "x", message: "broken"))
      case "-": .absent
      default: .item(try Self.item(row.client), Digest(of: Array(row.client.utf8)))
      }
    let decision = known.decide(
      client, isSideEdited: row.flags.contains("side"), MergePolicy(rule))
    #expect(Self.words(decision) == row.decided)
  }

  private static func row(_ text: String, version: String) throws -> Row? {
    guard text != "-" else { return nil }
    let isDeleted = text.hasPrefix("†")
    return Row(
      id: try ItemID("x"), item: try item(isDeleted ? String(text.dropFirst()) : text),
      version: Version(Text(version)), updatedAt: nil, deleted: isDeleted)
  }

  /// Reads `a1b2`.
  private static func item(_ text: String) throws -> Item {
    var (object, rest) = (JSONObject(), text[...])
    while let name = rest.popFirst(), let value = rest.popFirst()?.wholeNumberValue {
      object.append(Text(String(name)), .integer(value))
    }
    return Item(object)
  }

  private static func text(_ item: Item?) -> String {
    item.map {
      $0.fields.members.map {
        "\($0.name)\($0.value.encoded().map { Character(UnicodeScalar($0)) }.map(String.init).joined())"
      }.joined()
    } ?? "-"
  }

  private static func words(_ decision: Decision) -> String {
    switch decision {
    case .wait(let wait): "wait \(wait)"
    case .conflict(let conflict): "conflict \(conflict.kind.rawValue)"
    case .write(let item, let told): "write \(text(item))" + words(told)
    case .take(let told): "take" + words(told)
    }
  }

  private static func words(_ told: Told) -> String {
    var words: [String] = []
    switch told.what {
    case .added?: words.append("added")
    case .updated?: words.append("updated")
    case .removed?: words.append("removed \(text(told.item))")
    case .merged?: words.append("merged \(text(told.item))")
    default: break
    }
    if told.undeletes { words.append("undeletes") }
    words += told.keeps.map { "keeps \(text($0))" }
    return words.map { " " + $0 }.joined()
  }
}
