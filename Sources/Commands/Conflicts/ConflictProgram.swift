import SyncEngine
import SyncModel
import Workspace

/// A program that decides on a conflict, by its document or by a word.
enum ConflictProgram: String {
  /// Gets the document as its argument, and opens it again if a person agrees.
  case editor = "the editor"
  /// Gets the paths of the sides and of the document in its environment.
  case tool = "the tool"
  /// A tool that also prints what it has decided.
  case handler = "resolve.command"

  /// Returns the word for what the program has decided; an editor and a tool print none.
  fileprivate func word(_ ending: Ending) -> String? {
    guard self == .handler else { return "edited" }
    return ending.output.split { $0 <= 0x20 }.first.flatMap { Text(validating: $0)?.string }
  }
}

extension Session {
  /// Lets a program decide a conflict, without the lock; an editor until its text is valid or left.
  ///
  /// - Returns: `nil` if the conflict stays open.
  mutating func run(
    _ program: ConflictProgram, _ command: String, on conflict: Conflict, of key: ItemKey
  ) throws -> Resolution? {
    let context = context
    // Another command may have resolved it while the person was asked.
    _ = try self.conflict(key)
    if let place = try workspace.prepare(MarkedDocument(conflict, of: key.id), of: key) {
      context.printer.warn("an earlier merge of \(key) is kept in \(place: place)" as Hint)
    }
    let path = try workspace.path(of: key, .edit)
    // It is gone if another command has resolved the conflict.
    while let opened = try workspace.conflictText(of: key, .edit) {
      var run = Program.shell(command, program == .editor ? [path] : [], in: context.invocation)
      if program != .editor {
        run.environment = run.environment.setting(try paths(of: conflict, key, result: path))
      }
      run.isCaptured = program == .handler
      let ending = try unlocked {
        try context.checkSignal()
        return try context.runInteractive(run)
      }
      let word = program.word(ending)
      if ending.status == 0, let side = word.flatMap(Resolution.Side.init) {
        return try resolution(side, of: conflict, key)
      }
      guard ending.status == 0, word == "edited" else {
        if program != .handler {
          context.printer.warn(
            "\(program.rawValue) ended with status \(ending.status): \(command)")
        } else if ending.status != 0 || word != "leave" {
          let end = "status \(ending.status), '\(word ?? "")'"
          context.printer.warn("resolve.command did not resolve \(key): \(end)")
        }
        return nil
      }
      do {
        return try resolution(of: conflict, key, since: opened)
      } catch let mistake as JSONError {
        context.printer.warn("\(place: path):\(mistake)")
      }
      guard program == .editor,
        try unlocked({ try context.ask("[e]dit again, [l]eave? [e]", ["edit", "leave"]) }) == "edit"
      else { return nil }
    }
    return nil
  }

  /// Returns the variables with the paths of a conflict (tsync-resolve(1), --tool).
  private func paths(
    of conflict: Conflict, _ key: ItemKey, result: String
  ) throws -> [(name: Text, value: Text)] {
    // The client side is in its conflict file, or in the item's file if that was edited.
    let isSide = try workspace.conflictClient(of: key).item == conflict.client
    let client = try isSide ? workspace.path(of: key, .client) : workspace.path(of: key)
    let base = try workspace.path(of: key, .base)
    return [
      ("BASE", Text(try Times.ofFile(base) == nil ? "/dev/null" : base)),
      ("CLIENT", Text(client)), ("SERVER", Text(try workspace.path(of: key, .server))),
      ("RESULT", Text(result)),
    ]
  }

  /// Reads the document of a conflict if it was edited since it was opened.
  ///
  /// What an editor saved late is of other versions: it goes to the trash.
  ///
  /// - Throws: `JSONError` if it has a mistake; `changedMeanwhile` if the conflict has changed.
  private func resolution(
    of conflict: Conflict, _ key: ItemKey, since opened: [UInt8]
  ) throws -> Resolution? {
    let text = try workspace.conflictText(of: key, .edit)
    guard text != opened else { return nil }
    // Another command may have made a document of newer versions, which is its own affair.
    guard try self.conflict(key) == conflict else { throw Resolve.Failure.changedMeanwhile(key) }
    guard let text else { return nil }
    let (merged, document) = (
      MarkedDocument(text, of: key.id), MarkedDocument(conflict, of: key.id)
    )
    guard merged.versions == nil || merged.versions == document.versions else {
      if let place = try workspace.prepare(document, of: key) {
        let file: Hint = "your text is in \(place: place)"
        context.printer.warn("another program changed \(key); \(file)" as Hint)
      }
      return nil
    }
    guard !merged.isBlank else { return nil }
    let item = try merged.item()
    guard item != nil || conflict.client == nil || conflict.server == nil else {
      throw JSONError(at: 0, of: text, "it can be deleted only if one side deleted it")
    }
    return Resolution(item: item, how: "edited")
  }
}
