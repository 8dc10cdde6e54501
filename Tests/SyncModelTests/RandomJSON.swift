import SyncModel
import TestSupport

/// Draws JSON values and texts from a seed.
struct RandomJSON {
  var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  private static let scalars: [Unicode.Scalar] = [
    "a", "b", "z", "\"", "\\", "/", "\n", "\r", "\t", "\u{0}", "\u{1F}", "\u{7F}", "\u{85}",
    "\u{E9}", "\u{301}", "\u{2028}", "\u{FEFF}", "\u{FFFF}", "\u{10000}", "\u{1F600}", "\u{10FFFF}",
  ]

  mutating func text() -> Text {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<random.below(6) { scalars.append(Self.scalars[random.below(Self.scalars.count)]) }
    return Text(String(scalars))
  }

  mutating func number() -> String {
    var text = random.once(in: 2) ? "-" : ""
    text += random.once(in: 3) ? "0" : String(1 + random.below(1_000_000))
    if random.once(in: 2) { text += ".\(random.below(1_000))" }
    if random.once(in: 3) {
      text += ["e", "E", "e+", "e-"][random.below(4)] + "\(random.below(400))"
    }
    return text
  }

  /// Draws a value that is at most so many levels deep; no member stands twice.
  mutating func value(depth: Int) -> JSON {
    switch random.below(depth > 0 ? 7 : 5) {
    case 0: return .null
    case 1: return .bool(random.once(in: 2))
    case 2: return JSONNumber(number()).map(JSON.number) ?? .null
    case 3, 4: return .string(text())
    case 5: return .array((0..<random.below(4)).map { _ in value(depth: depth - 1) })
    default: return .object(object(depth: depth))
    }
  }

  mutating func object(depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<random.below(5) { object[text()] = value(depth: depth - 1) }
    return object
  }
}
