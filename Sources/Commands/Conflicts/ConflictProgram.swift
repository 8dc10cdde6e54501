import SyncEngine
import SyncModel
import Workspace

/// A program that decides on a conflict, by its document or by a word.
struct ConflictProgram {
  enum Kind: String {
    /// Gets the document as its argument, and opens it again if a person agrees.
    case editor = "the editor"
    /// Gets the paths of the sides and of the document in its environment.
    case tool = "the tool"
    /// A tool that also prints what it has decided.
    case handler = "resolve.command"
  }

  let kind: Kind
  /// A command of the shell.
  let command: String

  init(_ kind: Kind, _ command: String) {
    (self.kind, self.command) = (kind, command)
  }

  /// The word for what the program has decided; an editor and a tool print none.
  fileprivate func word(of ending: Ending) -> String? {
    guard kind == .handler else { return "edited" }
    return ending.output.split { $0 <= 0x20 }.first.flatMap { Text(validating: $0)?.string }
  }
}

extension Session {
  /// How often the editor opens for one conflict.
  private static let openings = 5

  /// Lets a program decide a conflict, without the lock; an editor until its text is valid or left.
  ///
  /// - Returns: `nil` if the conflict stays open.
  mutating func run(
    _ program: ConflictProgram, on conflict: Conflict, of key: ItemKey
  ) throws -> Resolution? {
    let context = context
    for _ in 0..<Self.openings {
      // Another command may have resolved it while the person was asked.
      _ = try self.conflict(key)
      let document = try layDocument(of: conflict, key)
      let run = try self.run(of: program, conflict, document)
      let ending = try unlocked {
        try context.checkSignal()
        return try context.runInteractive(run)
      }
      let word = program.word(of: ending)
      if ending.status == 0, let side = word.flatMap(Resolution.Side.init) {
        return try resolution(side, of: conflict)
      }
      guard ending.status == 0, word == "edited" else {
        if program.kind != .handler {
          context.output.warn(
            "\(program.kind.rawValue) ended with status \(ending.status): \(program.command)")
        } else if ending.status != 0 || word != "leave" {
          let end = "status \(ending.status), '\(word ?? "")'"
          context.output.warn("resolve.command did not resolve \(key): \(end)")
        }
        return nil
      }
      do {
        return try resolution(in: document, of: conflict)
      } catch let mistake as JSONError {
        context.output.warn("\(place(ofPath: workspace.path(of: document))):\(mistake)")
      }
      guard program.kind == .editor,
        try unlocked({ try context.ask("[e]dit again, [l]eave? [e]", ["edit", "leave"]) }) == "edit"
      else { return nil }
    }
    return nil
  }

  /// Writes the marked document, unless it is there from the last time.
  private mutating func layDocument(
    of conflict: Conflict, _ key: ItemKey
  ) throws -> ConflictDocument {
    let document = try workspace.document(
      from: MarkedDocument(conflict, of: key.id).text, of: key)
    if let place = document.displaced {
      context.output.warn("an earlier merge of \(key) is kept in \(place)")
    }
    return document
  }

  /// Gives a program the paths of a conflict (tsync-resolve(1), --tool).
  private func run(
    of program: ConflictProgram, _ conflict: Conflict, _ document: ConflictDocument
  ) throws -> Program {
    let (key, result) = (document.key, workspace.path(of: document))
    guard program.kind != .editor else {
      return .shell(program.command, [result], in: context.invocation)
    }
    // The client side is in its conflict file, or in the item's file if that was edited.
    let isSide = try workspace.conflictClient(of: key).item == conflict.client
    let client = try isSide ? workspace.path(of: key, .client) : workspace.path(of: key)
    let base = try workspace.path(of: key, .base)
    var run = Program.shell(program.command, in: context.invocation)
    run.environment = run.environment.setting([
      ("BASE", Text(try Times.ofFile(base) == nil ? "/dev/null" : base)),
      ("CLIENT", Text(client)), ("SERVER", Text(try workspace.path(of: key, .server))),
      ("RESULT", Text(result)),
    ])
    run.isCaptured = program.kind == .handler
    return run
  }

  /// Reads an edited document; another command may have made a new one since.
  ///
  /// - Throws: `JSONError` if it has a mistake.
  private func resolution(
    in document: ConflictDocument, of conflict: Conflict
  ) throws -> Resolution? {
    let key = document.key
    let (bytes, late) = try workspace.text(of: document)
    guard bytes != document.text else { return nil }
    if let late { context.output.warn("another program changed \(key); your text is in \(late)") }
    guard let text = bytes else { return nil }
    let merged = MarkedDocument(text, of: key.id)
    guard !merged.isBlank else { return nil }
    let item = try merged.item()
    guard item != nil || conflict.client == nil || conflict.server == nil else {
      throw JSONError(at: 0, of: text, "it can be deleted only if one side deleted it")
    }
    return Resolution(item: item, how: "edited")
  }
}
