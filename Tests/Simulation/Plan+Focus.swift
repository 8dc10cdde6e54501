extension Plan {
  /// What the histories of a campaign look at more than at anything else: rare states need a world and
  /// people that lead to them.
  ///
  /// As a text it has words of three kinds, such as in `items=1 push=40 powerLoss@500`: a setting of
  /// the world, how often people do what compared with all else, and how often what goes wrong, in a
  /// thousand. With `calls=10` a command is killed, or refused a call, at one of its first ten calls.
  package struct Focus: Sendable {
    /// What holds in the world.
    var settings: [String] = []
    /// Ahead of which of a command's calls it is killed, or one refused, at the latest.
    var calls: Int?
    /// How often people do what.
    var shares: [Verb: Int] = [:]
    /// How often what goes wrong, in a thousand.
    var rates: [Fault.Kind: Int] = [:]

    /// Makes the focus on nothing: all is as it is drawn.
    package init() {}

    /// Whether it is on nothing.
    package var isEmpty: Bool {
      settings.isEmpty && calls == nil && shares.isEmpty && rates.isEmpty
    }

    /// Reads a focus.
    ///
    /// - Throws: ``NotAPlan``.
    package init(text: String) throws {
      for word in text.split(separator: " ").map(String.init) {
        let fault = word.split(separator: "@").map(String.init)
        let other = word.split(separator: "=").map(String.init)
        if fault.count == 2, let kind = Fault.Kind(rawValue: fault[0]), let rate = UInt16(fault[1])
        {
          rates[kind] = Int(rate)
        } else if other.count == 2, other[0] == "calls", let number = UInt16(other[1]),
          number > 0
        {
          calls = Int(number)
        } else if other.count == 2, let verb = Verb(rawValue: other[0]),
          let share = UInt16(other[1])
        {
          shares[verb] = Int(share)
        } else {
          // Whether it can be set shows here; each world sets it again.
          var world = World()
          try world.set(word)
          settings.append(word)
        }
      }
    }
  }
}
