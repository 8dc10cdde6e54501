import ArgumentParser
import Glibc
import Remote
import SyncEngine
import SyncModel
import SystemPackage
import Workspace

extension Problem {
  /// Finds the message, the hints and the exit status of any error.
  init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as WorkspaceError: self.init(error)
    case let error as Stop: self.init(error)
    case let error as Resolve.Failure: self.init(error)
    case let error as UnwritableItem:
      self.init(.unwritable, at: error.place)
      status = .damaged
    case let error as InvalidItem: self.init(invalid: error, .usage)
    case let error as RemoteError:
      self = .usage(
        error.description,
        hints: error.namesUser ? ["to store a token for it: \(typed: "remote", "login")"] : [])
    case let error as NameError: self = .usage(error.description)
    case let error as FilterError: self = .usage(error.description)
    case let error as JSONError: self = .usage(error.description)
    case let error as Errno: self.init(.damaged, "\(error)")
    default: self.init(.damaged, "\(error)")
    }
  }

  /// Describes an invalid item file; `nil` if its name is not an item's.
  init(invalid: InvalidItem?, _ status: ExitStatus) {
    guard let invalid else {
      self.init(status, "the file name is not an item's")
      return
    }
    let comparison = invalid.comparison.map { ["to compare: \($0)"] as [Hint] } ?? []
    self.init(
      status, invalid.sentence,
      hints: comparison + (invalid.hint.map { ["to fix it: \($0)"] } ?? []))
  }

  /// Describes an error of the command line's parser.
  init(parsing error: any Error, of type: any TsyncCommand.Type) {
    // The parser writes sentences, and adds the usage to some of them.
    let text = type.message(for: error).utf8.split(separator: UInt8(ascii: "\n")).first ?? []
    var bytes = Array(text)
    if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    if let first = bytes.first, (0x41...0x5A).contains(first) { bytes[0] = first | 0x20 }
    self = .usage(
      String(decoding: bytes, as: UTF8.self),
      hints: ["to see its options: \(typed: "help", type.name)"])
  }

  private init(_ error: WorkspaceError) {
    let fact = error.sentence
    switch error {
    // Without locks two commands could change the workspace at once.
    case .file(_, .noLocks): self.init(.unsafe, fact, hints: ["keep it on a disk of this machine"])
    case .file(let place, let error):
      let isOwn = place.utf8.first != UInt8(ascii: "/")
      self.init(.damaged, fact, hints: Self.hints(for: error, inWorkspace: isOwn))
    case .missing:
      self.init(.unsafe, fact, hints: ["to bring the items back: \(typed: "restore", "--missing")"])
    case .damaged(let place, _, _):
      // The doctor doesn't check the user's own files, which have absolute paths.
      let isOwn = place.utf8.first != UInt8(ascii: "/")
      self.init(
        .damaged, fact,
        hints: isOwn ? ["nothing was changed; to check the workspace: \(typed: "doctor")"] : [])
    case .otherFormat(_, let isNewer):
      let way: Hint =
        isNewer
        ? "install that version"
        : "clone into another directory; items/ here holds what was not pushed"
      self.init(.damaged, fact, hints: [way])
    case .locked: self.init(.locked, fact, hints: ["try again after it has ended"])
    case .notFound:
      self.init(.usage, fact, hints: ["to make one: \(typed: "init"), or \(typed: "clone", "URL")"])
    case .setting(let place, let line, _, _):
      // A value from the command line has no line number.
      let option = place.utf8.first == UInt8(ascii: "/") ? ["--user"] : []
      self.init(
        .usage, fact,
        hints: line == nil ? [] : ["to fix it: \(typed: ["config"] + option + ["--edit"])"])
    case .exists: self.init(.usage, fact)
    case .untrusted:
      self.init(
        .unsafe, fact,
        hints: [
          "tsync uses nothing in it; to make your own workspace: \(typed: "clone", "URL", "DIR")"
        ])
    case .credentials(let place, let line, _, _):
      let way: Hint =
        "to fix it: edit the file; or delete it, and log in again: \(shell: "rm", place)"
      self.init(.unauthorized, fact, hints: line == nil ? [] : [way])
    case .exposed(let place):
      self.init(.unauthorized, fact, hints: ["to fix it: \(shell: "chmod", "600", place)"])
    }
  }

  /// Describes a row that waits although its item's file, at a place below `.todosync`, is valid.
  init(_ hold: Event.Hold, at place: String) {
    let hint: Hint =
      switch hold {
      case .changing: "to apply its row: \(typed: "pull")"
      case .unwritable:
        "to see what protects it: \(shell: "lsattr", places: [".todosync/\(place)"])"
      }
    self.init(.rejected, "\(place: place): \(hold.rawValue)", hints: [hint])
  }

  /// Returns hints for an error of the operating system.
  private static func hints(for error: Errno, inWorkspace isOwn: Bool) -> [Hint] {
    switch error {
    // A file or a link is at the place of a directory.
    case .notDirectory, .tooManySymbolicLinkLevels:
      isOwn ? ["to check the workspace: \(typed: "doctor")"] : []
    case .noSpace, Errno(rawValue: EDQUOT):
      ["nothing is lost: make room, and try again"]
    case .permissionDenied, .notPermitted:
      ["to see the owner and mode of it and its directory: ls -ld"]
    case Errno(rawValue: EOPNOTSUPP):
      ["its file system can neither exchange nor link files; keep the workspace on another"]
    case .readOnlyFileSystem: ["nothing was changed; commands that only read still work"]
    default: []
    }
  }

  private init(_ stop: Stop) {
    switch stop {
    case .unreachable(let fact): self.init(.unreachable, fact)
    case .busy(let status, let seconds):
      self.init(.unreachable, "the server is busy (\(status)); try again \(Times.later(seconds))")
    case .unauthorized(let refusal):
      let fact = "the server refused access: \(refusal.sentence)"
      self.init(.unauthorized, fact, hints: ["to set a token: \(typed: "remote", "login")"])
    case .notSpeaking(let fact, let sign), .elsewhere(let fact, let sign):
      self.init(.unreachable, fact, hints: sign.map { [$0.hint] } ?? [])
    case .noTable(let table): self = .noTable(table)
    case .unsafe(let danger): self.init(danger)
    }
  }

  /// Describes a table that the server doesn't have; `tables` are all that are exchanged.
  static func noTable(_ table: TableName, of tables: [TableName] = []) -> Problem {
    let others = tables.filter { $0 != table }.map(\.description).joined(separator: ",")
    let leaving: Hint = "to leave it out: \(typed: "config", "tables", others)"
    return Problem(
      .unreachable, "the server has no table \(table)",
      hints: (others.utf8.isEmpty ? [] : [leaving])
        + ["if the address is wrong: \(typed: "remote", "set", "URL")"])
  }

  private init(_ error: Resolve.Failure) {
    switch error {
    case .noConflict(let key): self = .usage("\(key) is not in conflict")
    case .twoClientSides(let key, let isRemoved):
      let name = "\(key.table)/\(FileName.of(key.id) ?? key.id.text)"
      let (item, side) = ("items/\(name).json", "conflicts/\(name).client.json")
      self =
        isRemoved
        ? Problem(
          .usage, "\(place: item) was removed, and \(place: side) was edited",
          hints: ["remove \(place: side) too, or copy it to \(place: item)"])
        : Problem(
          .usage, "\(place: item) and \(place: side) were both edited, and differ",
          hints: ["make them equal, or remove \(place: side) to use \(place: item)"])
    case .moved(let key, let file): self = .moved(key, to: file)
    case .invalid(_, let invalid): self.init(invalid: invalid, .usage)
    case .changedMeanwhile(let key): self = .changedMeanwhile(key)
    }
  }
}

extension InvalidItem {
  /// The place and the message: `path:line:column: message`.
  var sentence: Hint {
    let position = [line, column].compactMap { $0.map { ":\($0)" } }.joined()
    return "\(place: place)\(position): \(message)"
  }
}

extension WorkspaceError {
  /// The message; its path is from the person's directory.
  fileprivate var sentence: Hint {
    switch self {
    case .file(let place, _), .damaged(let place, _, _), .otherFormat(let place, _),
      .missing(let place):
      "\(place: place)\(description.dropFirst(place.count))"
    case .setting(let place, _, _, _): "\(file: place)\(description.dropFirst(place.count))"
    default: "\(description)"
    }
  }
}

extension Refusal {
  /// The status as it is printed.
  var answer: Int { status ?? 200 }

  var sentence: String { words.isEmpty ? "\(answer)" : "\(answer) \(words)" }
}

extension Rejection {
  /// The server's answer, with a note if an insert's id is taken by a row that can't be read.
  var sentence: String {
    // The server accepted the change, but for some fields.
    if refusal.status == nil { return refusal.words.string }
    let isTaken = kind == .insert && refusal.status == 409
    return isTaken ? "\(refusal.sentence) (the server shows no row with this id)" : refusal.sentence
  }
}
