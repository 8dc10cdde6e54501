package import SyncModel
import TestSupport

/// Everything that happens in one history: the world, what its people do, and what goes wrong.
///
/// It is drawn from a seed, or read from a file. Each action draws what it has yet to choose from dice
/// of its own, so that leaving out one changes nothing in the others: a plan that fails can be made
/// smaller.
package struct Plan: Equatable, Sendable {
  /// What holds during the whole history.
  package struct World: Equatable, Sendable {
    /// How many clients there are.
    package var clients = 1
    /// How items are merged that both sides changed.
    package var policy = MergePolicy.Rule.fields
    /// How many rows a page has.
    package var pageSize = 3
    /// How far the server's clock goes on with each write; 0 gives equal stamps.
    package var tick = 1
    /// How often the server puts a text of its own into what it is sent; 0 is never.
    package var rewriteRate = 0
    /// How many ticks a row may be stamped earlier than one that was committed before it.
    package var lateCommit = 0
    /// Whether the guards against mass deletion stand.
    package var guards = false
    /// How many items users share; of each, every client has one of its own, too.
    package var items = 6
    /// Whether an undelete carries the item, as in some dialects, or brings the row back as it was.
    package var undeletesWhole = false
    /// Whether clients pull parts of the table by queries.
    package var queries = false
    /// Whether versions are counters that begin anew with each row.
    package var counts = false
    /// Whether the server keeps no tombstones.
    package var deletesForGood = false
    /// Whether items have lists, of texts and of objects.
    package var lists = false
  }

  /// What somebody does.
  package struct Action: Equatable, Sendable {
    /// Whose client.
    package var client: Int
    /// What.
    package var verb: Verb
    /// What is drawn in it is drawn from here.
    package var dice: UInt64
    /// What goes wrong in it.
    package var faults: [Fault] = []
  }

  /// What people do.
  package enum Verb: String, CaseIterable, Sendable {
    /// A user saves an item, an old or a new one.
    case save
    /// A user saves half a text.
    case garble
    /// A user deletes a file.
    case delete
    /// A user deletes every file.
    case clear
    /// A user gives a file another name.
    case rename
    /// `tsync rm`.
    case rm
    /// `tsync mv`.
    case mv
    /// `tsync restore`.
    case restore
    /// A user writes what the server has, as another one told.
    case agree
    /// `tsync doctor --fix`.
    case doctor
    /// `tsync purge`.
    case purge
    /// A user edits a conflict's client side.
    case editSide
    /// A user removes a conflict's client side.
    case dropSide
    /// `tsync resolve`.
    case resolve
    /// `tsync pull`.
    case pull
    /// `tsync pull --full`.
    case pullFull
    /// `tsync push`.
    case push
    /// `tsync query add` and `rm`, or the settings are edited.
    case requery
    /// Somebody removes a row from the server's database, without a tombstone.
    case loseRow
    /// The server's rows are copied.
    case backUp
    /// The copy is put in the place of the server's rows.
    case putBack
    /// `tsync push --missing`.
    case missing
    /// The machine is saved, to come back later.
    case snapshot
    /// The machine comes back as it was saved.
    case rollBack
    /// The user removes the journal.
    case loseJournal
    /// The user removes the stat index.
    case loseIndex
    /// The user goes on in a clone that git made: of the workspace it has what users made, and nothing
    /// that tsync knows.
    case gitClone

    /// Whether a client may afterwards meet its own writes as somebody else's.
    var forgets: Bool {
      switch self {
      case .loseRow, .putBack, .rollBack, .loseJournal, .gitClone: true
      default: false
      }
    }
  }

  /// One thing that goes wrong.
  package struct Fault: Equatable, Sendable {
    /// When: ahead of the so-many-th step of the disk, at the so-many-th request, or after the
    /// so-many-th reading of an item.
    package var at: Int
    /// What.
    package var kind: Kind

    /// What goes wrong.
    package enum Kind: String, CaseIterable, Sendable {
      // At a step of the disk.
      case kill, powerLoss, save, delete, secondProcess, noSpace, inputOutputError
      // After a reading of an item.
      case saveAfterReading
      // At a request.
      case lostRequest, lateRequest, lostReply, duplicate, failure, failureAfterActing, busy
      case unauthorized, forbidden, notSpeaking, lostReading, stale
      // At a request, too: somebody else changes a row.
      case elsewhere

      /// What its number counts.
      enum Place {
        case step, reading, request
      }

      /// What its number counts.
      var place: Place {
        switch self {
        case .kill, .powerLoss, .save, .delete, .secondProcess, .noSpace, .inputOutputError: .step
        case .saveAfterReading: .reading
        default: .request
        }
      }
    }
  }

  /// What holds.
  package var world = World()
  /// What happens, in this order.
  package var actions: [Action] = []

  /// Makes an empty plan.
  package init() {}

  /// Whether nobody but one client writes to the server.
  var isSingle: Bool {
    world.clients == 1 && !world.queries
      && !actions.contains { action in action.faults.contains { $0.kind == .elsewhere } }
  }

  /// Whether rows are stamped in the order of their commits, none is lost, and no replica lags.
  var commitsInOrder: Bool {
    world.lateCommit == 0 && !world.deletesForGood && !hasReplicas
      && !actions.contains { $0.verb == .loseRow }
  }

  /// Whether a server that was put back has to be found out: its times are seconds apart, and clients have
  /// received the whole table.
  var tellsLosses: Bool {
    world.lateCommit == 0 && world.tick >= 2_000 && !world.queries
      && !actions.contains { [.requery, .loseJournal, .rollBack, .gitClone].contains($0.verb) }
  }

  /// Whether a replica lags.
  var hasReplicas: Bool {
    actions.contains { action in action.faults.contains { $0.kind == .stale } }
  }

  /// Whether a client may meet its own writes as somebody else's.
  var forgets: Bool {
    actions.contains { action in
      // What is gone without a trace `push --missing` makes again.
      action.verb.forgets || world.deletesForGood && action.verb == .missing
        || action.faults.contains { $0.kind == .stale || $0.kind == .lateRequest }
    }
  }
}

extension Plan {
  /// Draws a plan.
  ///
  /// Each fault is off in half of the seeds, so that none hides another; what a focus names is as it
  /// says.
  package init(seed: UInt64, actions count: Int = 100, focus: Focus = Focus()) {
    var random = SplitMix64(seed: seed)
    world.clients = random.below(4) == 0 ? 1 : 2 + random.below(3)
    let policies: [MergePolicy.Rule] = [.fields, .fields, .fields, .manual, .client, .server]
    world.policy = policies[random.below(policies.count)]
    world.pageSize = 1 + random.below(4)
    world.tick = random.once(in: 3) ? 0 : 1
    world.lateCommit = random.once(in: 4) ? 3 : 0
    world.guards = random.once(in: 2)
    world.rewriteRate = world.clients == 1 || random.once(in: 2) ? 0 : 3
    world.undeletesWhole = random.once(in: 2)
    // Drawn apart, so that all else is as it would be.
    var other = SplitMix64(seed: seed ^ 0x5143)
    world.queries = other.once(in: 4)
    if other.once(in: 2) { world.tick *= 2_000 }
    for setting in focus.settings { try? world.set(setting) }
    // Where an answer was lost, the server's own texts can't be told from somebody's edit.
    if world.clients == 1 { world.rewriteRate = 0 }
    let rates = Rates(&random, focus)
    var verbs = Self.verbs(&random, focus)
    if world.queries, focus.shares[.requery] == nil { verbs += [.requery, .requery, .requery] }
    if other.once(in: 4), focus.shares[.putBack] == nil {
      verbs += [.backUp, .backUp, .putBack, .missing]
    }
    for _ in 0..<count {
      let client = random.below(world.clients)
      let verb = verbs[random.below(verbs.count)]
      actions.append(
        Action(client: client, verb: verb, dice: random.next(), faults: rates.draw(verb, &random)))
    }
    // Of a row that was made again the time has to tell.
    world.counts = (world.counts || other.once(in: 3)) && world.tick > 0 && world.lateCommit == 0
    // A row that is gone for good no replica shows again.
    world.deletesForGood = (world.deletesForGood || other.once(in: 4)) && !hasReplicas
    world.lists = world.lists || other.once(in: 2)
  }

  /// Returns the verbs, each as often as it is likely.
  private static func verbs(_ random: inout SplitMix64, _ focus: Focus) -> [Verb] {
    let usual: [(Verb, Int)] = [
      (.save, 36), (.delete, 4), (.rm, 3), (.restore, 2), (.editSide, 2), (.agree, 1),
      (.resolve, 11),
      (.pull, 15), (.pullFull, 3), (.push, 20),
    ]
    // What is rare is off in most of the seeds.
    let rare: [(Verb, Int)] = [
      (.mv, 6), (.garble, 3), (.rename, 3), (.clear, 1), (.purge, 3), (.dropSide, 2), (.loseRow, 1),
      (.doctor, 1), (.snapshot, 1), (.rollBack, 1), (.loseJournal, 1), (.loseIndex, 1),
    ]
    var verbs = usual.flatMap { Array(repeating: $0.0, count: $0.1) }
    for (verb, share) in rare where random.below(3) == 0 {
      verbs += Array(repeating: verb, count: share)
    }
    // What the one excuses the other does, too: no other world gets less strict.
    if verbs.contains(.loseJournal) { verbs.append(.gitClone) }
    verbs.removeAll { focus.shares[$0] != nil }
    for (verb, share) in focus.shares.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      verbs += Array(repeating: verb, count: share)
    }
    return verbs
  }

  /// How often what goes wrong, in a thousand.
  private struct Rates {
    private var request: [(Fault.Kind, Int)] = []
    private var disk: [(Fault.Kind, Int)] = []
    private let calls: Int?

    init(_ random: inout SplitMix64, _ focus: Focus) {
      calls = focus.calls
      let likely: [(Fault.Kind, Int)] = [
        (.kill, 170), (.powerLoss, 170), (.save, 100), (.delete, 10), (.secondProcess, 10),
        (.noSpace, 60), (.inputOutputError, 60), (.saveAfterReading, 60),
        (.lostRequest, 100), (.lateRequest, 80), (.lostReply, 120), (.duplicate, 60),
        (.failure, 60), (.failureAfterActing, 60), (.busy, 40), (.unauthorized, 30),
        (.forbidden, 30), (.notSpeaking, 40), (.lostReading, 100), (.stale, 60),
        (.elsewhere, 120),
      ]
      // In some worlds the power fails more often than not, so that it meets every call.
      let isStormy = random.once(in: 4)
      for (kind, usual) in likely where random.once(in: 2) {
        if kind == .stale, !random.once(in: 4) { continue }
        if focus.rates[kind] == nil { add(kind, isStormy && kind == .powerLoss ? 700 : usual) }
      }
      for kind in Fault.Kind.allCases {
        if let rate = focus.rates[kind] { add(kind, rate) }
      }
    }

    private mutating func add(_ kind: Fault.Kind, _ rate: Int) {
      if kind.place == .request {
        request.append((kind, rate))
      } else {
        disk.append((kind, rate))
      }
    }

    func draw(_ verb: Verb, _ random: inout SplitMix64) -> [Fault] {
      var faults: [Fault] = []
      switch verb {
      case .push, .missing, .pull, .pullFull, .resolve, .restore, .rm, .mv, .purge, .doctor: break
      default: return []
      }
      for (kind, rate) in disk {
        switch kind {
        case .save, .delete, .saveAfterReading:
          for step in 0..<24 where random.below(1_000) < rate {
            faults.append(Fault(at: step, kind: kind))
          }
        default:
          // A command on files has some 30 calls, one that moves many items 80.
          let most = calls ?? (random.once(in: 2) ? 30 : 80)
          if random.below(1_000) < rate {
            faults.append(Fault(at: random.below(most), kind: kind))
          }
        }
      }
      switch verb {
      case .push, .missing, .pull, .pullFull: break
      default: return faults
      }
      for (kind, rate) in request {
        for event in 0..<8 where random.below(1_000) < rate {
          faults.append(Fault(at: event, kind: kind))
        }
      }
      return faults
    }
  }
}
