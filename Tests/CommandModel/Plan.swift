import TestSupport

/// What a history is made of, all of it drawn from a seed.
struct Plan {
  /// One step: what a person does at a device, and one command line at its end.
  struct Step {
    /// Its number in the whole history.
    let number: Int
    /// What its draws begin with; a step that is left out leaves the others' as they are.
    let seed: UInt64
  }

  /// How many steps a history has.
  static let length = 60

  /// The seed.
  let seed: UInt64
  /// How many devices there are.
  let devices: Int
  /// The server.
  let server: Server.Kind
  /// The rule by which conflicts are merged; `nil` for the default.
  let rule: String?
  /// The dialect that is set; `nil` for the one that is found out.
  let dialect: String?
  /// Whether files are moved and broken by hand.
  let isMessy: Bool
  /// The steps.
  var steps: [Step]

  /// Draws a history.
  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    self.seed = seed
    devices = 2 + random.below(2)
    server =
      [.memory, .memory, .memory, .memory, .memory, .memory, .memory, .file, .file, .socket][
        random.below(10)]
    rule = random.once(in: 6) ? ["manual", "client", "server"][random.below(3)] : nil
    dialect =
      random.once(in: 3)
      ? ["mobile-services", "mobile-apps", "datasync", "community-toolkit"][random.below(4)] : nil
    isMessy = random.once(in: 3)
    steps = (0..<Self.length).map { Step(number: $0, seed: random.next()) }
  }
}
