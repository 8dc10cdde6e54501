import SyncEngine
import SyncModel
import SystemPackage
import Workspace

/// A text that a person edits in a file.
///
/// The file is removed once the text was applied, or if the editor left it unchanged or empty. At
/// every other end it stays, and the failure names its place.
struct EditedText {
  let text: [UInt8]
  /// Whether it is applied even if it comes back unchanged.
  var isChange = false
  let path: String
  let editor: Editor
  let context: Context

  /// Opens the editor, again while the text has mistakes and a person agrees, and applies the text.
  ///
  /// The caller must not hold a lock.
  ///
  /// - Returns: Whether the text was applied; not if it came back unchanged or empty.
  /// - Throws: ``Problem`` if the editor failed, a mistake was left or the text can't be applied.
  func edit<Value>(
    _ parse: ([UInt8]) throws(JSONError) -> Value, apply: (Value) throws -> Void
  ) throws -> Bool {
    let saved: (bytes: [UInt8], value: Value)?
    do { saved = try result(parse) } catch {
      throw kept(error, "nothing was changed; your text is in \(file: path)")
    }
    guard let saved else {
      FileText.remove(path)
      return false
    }
    do { try apply(saved.value) } catch { throw kept(error, "your text is in \(file: path)") }
    // The editor may have saved again since.
    if mayDiffer(from: saved.bytes) {
      context.printer.warn("a text saved after that is in \(file: path)" as Hint)
    } else {
      FileText.remove(path)
    }
    return true
  }

  /// Returns the parsed text, with its bytes; `nil` if it came back unchanged or empty.
  private func result<Value>(
    _ parse: ([UInt8]) throws(JSONError) -> Value
  ) throws -> ([UInt8], Value)? {
    while true {
      try context.checkSignal()
      try editor.open(path, in: context)
      let bytes = try read()
      guard isChange || bytes != text, bytes.contains(where: { $0 > 0x20 }) else { return nil }
      do throws(JSONError) {
        return (bytes, try parse(bytes))
      } catch {
        let mistake: Hint = "\(place: path):\(error)"
        guard try context.asksToEditAgain(mistake) else { throw Problem(.rejected, mistake) }
      }
    }
  }

  private func read() throws(Problem) -> [UInt8] {
    do throws(Errno) {
      return try FileText.read(path)
    } catch {
      let isGone = error == .noSuchFileOrDirectory
      throw Problem(.usage, "\(place: path): \(isGone ? "the editor has removed it" : "\(error)")")
    }
  }

  /// Adds the text's place to an error; removes a text that has no edit and no running editor.
  private func kept(_ error: any Error, _ hint: Hint) -> any Error {
    // An editor that a signal has left running may save later.
    guard error as? Errno == .interrupted || mayDiffer(from: text) else {
      FileText.remove(path)
      return error
    }
    var problem = context.problem(error)
    problem.hints.append(hint)
    return problem
  }

  /// Whether the file may have a text other than this one: not if it is gone.
  private func mayDiffer(from bytes: [UInt8]) -> Bool {
    do throws(Errno) {
      return try FileText.read(path) != bytes
    } catch {
      return error != .noSuchFileOrDirectory
    }
  }
}

extension EditedText {
  /// Writes the text for the editor, to the trash.
  init(_ text: [UInt8], for command: Workspace.EditorText, _ session: Session) throws {
    let path = try session.workspace.lay(text, for: command)
    self.init(
      text: text, path: path,
      editor: Editor(session.context.invocation.environment, session.configuration),
      context: session.context)
  }
}

extension Context {
  /// Returns the failure of an error; the signal's, if a signal interrupted the command.
  func problem(_ error: any Error) -> Problem {
    guard case .interrupted? = error as? Errno, let signal = invocation.signal() else {
      return Problem(error)
    }
    return .signal(signal)
  }

  /// Prints a text's fault and asks whether to edit again; no, if no person can be asked.
  func asksToEditAgain(_ fault: Hint) throws -> Bool {
    guard canAsk else { return false }
    printer.warn(fault)
    return try ask("[e]dit again, [l]eave? [e]", ["edit", "leave"]) == "edit"
  }
}
