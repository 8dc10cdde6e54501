import ArgumentParser
import Glibc
import TableServer

/// Copies a store into a new one, which is then served in its place.
struct CopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy a store into a new one, while servers may run.")

  @Flag(help: "Give a copy up: serve FROM again.") var stop = false

  @Argument(help: "The store to copy: a file, or a URL of PostgreSQL.") var from: String
  @Argument(help: "The new store: a file, or a URL of PostgreSQL.") var to: String?

  func validate() throws {
    guard stop == (to == nil) else {
      throw ValidationError(stop ? "--stop takes FROM alone" : "copy needs FROM and TO")
    }
    guard ![from, to].contains("memory") else {
      throw ValidationError("a store in memory can't be copied")
    }
  }

  func run() async throws {
    umask(0o077)
    let source = try await Stores.kept(from, mustExist: true)
    let state = try await source.state()
    guard let to else {
      guard case .moving = state else {
        throw ServerFailure("\(from) is not being copied", status: 8)
      }
      try await source.become(.open, from: state)
      return try await source.close()
    }
    if case .copying = state { throw ServerFailure("\(from) \(state.words(from))", status: 8) }
    let target = try await Stores.kept(to, copyOf: source.dataset)
    do {
      let rows = try await StoreCopy(source, to: target).run()
      Output.write("copied \(rows) rows: serve \(to), no longer \(from)\n", to: STDOUT_FILENO)
    } catch {
      let now = try await source.state()
      if case .moving = now {
        Output.write("tsync-server: \(from) \(now.words(from))\n", to: STDERR_FILENO)
      }
      guard let refusal = error as? StoreCopy.Refusal else { throw error }
      throw ServerFailure(refusal, from, to)
    }
    try await target.close()
    try await source.close()
  }
}

extension ServerFailure {
  fileprivate init(_ refusal: StoreCopy.Refusal, _ from: String, _ to: String) {
    let words =
      switch refusal {
      case .targetIsUsed: "\(to) is a store already: name a file or a database that is none"
      case .sourceIsNotOpen(let state): "\(from) \(state.words(from))"
      case .changed: "another command has changed \(from) or \(to)"
      case .differs: "\(from) and \(to) differ: run the copy again"
      }
    self.init(words, status: 8)
  }
}

extension StoreState {
  /// Why a store can't be served, and what to do.
  func words(_ store: String) -> String {
    switch self {
    case .open: "is open"
    case .moving:
      "is being copied and takes no writes: 'tsync-server copy \(store) TO' completes it,"
        + " 'tsync-server copy --stop \(store)' gives it up"
    case .moved: "was copied to another store: serve that one"
    case .copying:
      "is not complete: run 'tsync-server copy FROM \(store)' again"
    }
  }
}
