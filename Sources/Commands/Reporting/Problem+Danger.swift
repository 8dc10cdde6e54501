import SyncEngine
import SyncModel

extension Problem {
  /// Describes what would do damage if an exchange went on; `selection` are the words of what a push was to send.
  init(_ danger: Danger, pushing selection: [String] = []) {
    let lost: Hint = "to see what the server lost: \(typed: "push", "--missing", "-n")"
    switch danger {
    case .notPulled(let table):
      self = .unsafe(
        "no pull has read the rows of \(table): new items may be there already",
        "to read the rows: \(typed: "pull")")
    case .otherData(let count, let known, let table):
      let fact = "the server has only \(count) of this workspace's \(known) items of \(table)"
      let accept: Hint = "\(typed: Self.fullPull(accepting: known - count))"
      self = .unsafe(
        "\(fact): it serves other data",
        "to make another workspace: \(typed: "clone", "URL", "DIR")", lost,
        "to accept the \(known - count) deletes: \(accept)")
    case .removals(let deletes, let leaving, let live, let table, let areShown):
      let others = deletes == 0 ? "" : ", and the server has deleted \(deletes)"
      self = .unsafe(
        leaving == 0
          ? "the server has deleted \(deletes) of \(live) items of \(table)"
          : "\(leaving) of \(live) items of \(table) are in none of its queries any more\(others)")
      let way =
        leaving == 0
        ? "to accept the \(deletes) deletes" : "to remove the \(deletes + leaving) files"
      hints = areShown ? [] : ["to see them: \(typed: "pull", "-n", "-v")"]
      hints.append("\(way): \(typed: "pull", "--max-delete", "\(deletes + leaving)")")
    case .rowsAreGone(let count, let operations):
      self = .unsafe(
        "the server does not have \(count) of the \(operations) rows that a push would change",
        "to see the address: \(typed: "remote")",
        "to read all rows again: \(typed: "pull", "--full")", lost)
    case .wentBack(nil):
      let fact = "the server lost rows that this workspace has"
      self = .putBack("\(fact): it was put back from a backup, or another server took over")
    case .wentBack(let count?):
      let items = count == 1 ? "1 item that is newer here" : "\(count) items that are newer here"
      self = .putBack("pull --full would put back or remove \(items)", accepting: count)
    case .renumbered(let count):
      self = .putBack(
        "the server was put back: it gives version numbers out anew", accepting: count)
    case .unmeant(let unmeant):
      let keys = unmeant.keys
      let references = keys.count <= 5 ? keys.map { "\($0)" } : ["REF..."]
      self =
        if case .missing = unmeant {
          .unsafe(
            unmeant.words(ofAll: true), "to bring them back: \(typed: "restore", "--missing")",
            "to delete their rows: \(typed: ["push", "--max-delete", "\(keys.count)"] + selection)"
          )
        } else {
          .unsafe(
            unmeant.words(), "to remove them again: \(typed: ["rm"] + references)",
            "to bring their rows back: \(typed: ["push"] + references)")
        }
    case .otherDataset(let found, let known, let address):
      let found = found?.string ?? "unknown"
      self = .unsafe(
        "\(address) serves a different data set: \(found) instead of \(known)",
        "to make a workspace of that data: \(typed: "clone", address, "DIR")",
        "to set this workspace's server: \(typed: "remote", "set", "URL")")
    case .otherUser(let found, let known, let address):
      self = .unsafe(
        "this workspace is \(known)'s, the token is \(found)'s",
        "to set a token of the workspace's user: \(typed: "remote", "login")",
        "to make a workspace of the token's user: \(typed: "clone", address, "DIR")")
    case .unfiltered(let query):
      self = .unsafe("the server passes over $filter")
      hints = query.map { ["to pull the whole table: \(typed: "query", "rm", $0.string)"] } ?? []
    }
  }

  private static func unsafe(_ fact: String, _ hints: Hint...) -> Problem {
    Problem(.unsafe, fact, hints: hints)
  }

  private static func putBack(_ fact: String, accepting count: Int? = nil) -> Problem {
    .unsafe(
      "\(fact); whoever received the newest rows begins",
      "to see them: \(typed: "push", "--missing", "-n")",
      "to send them again: \(typed: "push", "--missing")",
      "to take the server's state: \(typed: Self.fullPull(accepting: count))")
  }

  private static func fullPull(accepting count: Int?) -> [String] {
    ["pull", "--full"] + (count.map { ["--max-delete", "\($0)"] } ?? [])
  }
}

extension Unmeant {
  /// The fact, as a person is asked about it; or with the number of all rows, where nobody is asked.
  func words(ofAll: Bool = false) -> String {
    switch self {
    case .missing(let keys, let live, let table):
      let count = ofAll ? "\(keys.count) of \(live)" : "\(keys.count)"
      let (verb, they) = keys.count == 1 ? ("is", "it") : ("are", "them")
      let noun = count == "1" ? "file" : "files"
      return "\(count) \(noun) of \(table) \(verb) missing; tsync rm did not remove \(they)"
    case .back(let keys, let table):
      return "\(keys.count) files of \(table) are here again whose rows are deleted"
    }
  }
}

extension Stop.Sign {
  /// The way on.
  var hint: Hint {
    switch self {
    case .dialect(nil): "to set the dialect: \(typed: "config", "dialect", "NAME")"
    case .dialect(let name?): "to set this dialect: \(typed: "config", "dialect", name.string)"
    case .moved(let address): "to follow it: \(typed: "remote", "set", address)"
    case .page: "log in to the network, or check: \(typed: "remote")"
    case .tls(let address): "to use TLS: \(typed: "remote", "set", address)"
    case .noTLS(let address): "if the server has no TLS: \(typed: "remote", "set", address)"
    }
  }
}
