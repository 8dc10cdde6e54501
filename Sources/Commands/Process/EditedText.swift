import SyncEngine
import SyncModel
import SystemPackage
import Workspace

/// A text that is opened in an editor until it is right, or given up.
struct EditedText {
  private let text: [UInt8]
  private let path: String
  /// Where it lies, as people are told.
  private let place: String
  private let context: Context
  private let editor: Editor
  /// What came back from the editor.
  private var read: [UInt8] = []

  /// Puts the text where the editor can open it: into the workspace's trash.
  ///
  /// - Throws: ``WorkspaceError``.
  init(
    _ text: [UInt8], for command: Workspace.EditorText, _ open: OpenWorkspace, in context: Context
  ) throws {
    let path = try open.workspace.lay(text, for: command)
    self.init(
      text, at: path, shownAs: open.place(ofPath: path), open.configuration, in: context)
  }

  /// Takes a text that lies at a path already.
  init(
    _ text: [UInt8], at path: String, shownAs place: String, _ configuration: Configuration?,
    in context: Context
  ) {
    (self.text, self.path, self.place, self.context) = (text, path, place, context)
    editor = Editor(context.invocation.environment, configuration)
  }

  /// Opens the editor, again while the text has mistakes and a person wants to, and reads what comes
  /// back; the text stays until it is taken (``taking(_:)``).
  ///
  /// - Returns: What was read; `nil` where the text came back as it was, or empty.
  /// - Throws: ``Failure``: the editor failed, or a mistake was left; what was typed is kept where the
  ///   failure says.
  mutating func result<Value>(_ parse: ([UInt8]) throws(JSONError) -> Value) throws -> Value? {
    while true {
      do {
        try context.checkSignal()
        try editor.open(path, in: context)
      } catch {
        throw kept(error, hint)
      }
      let bytes = try FileText.read(path, editedAt: place)
      guard bytes != text, bytes.contains(where: { $0 > 0x20 }) else {
        FileText.remove(path)
        return nil
      }
      do throws(JSONError) {
        read = bytes
        return try parse(bytes)
      } catch {
        let isEditedAgain: Bool
        do {
          isEditedAgain = try context.asksToEditAgain("\(place):\(error)")
        } catch {
          throw kept(error, hint)
        }
        guard isEditedAgain else {
          throw Failure(.rejected, "\(place):\(error)", hints: [hint])
        }
      }
    }
  }

  /// Takes over what was read; the text is removed when that is done.
  ///
  /// - Throws: ``Failure``, as ``checking(_:)``.
  func taking(_ body: () throws -> Void) throws {
    try checking(body)
    FileText.remove(path, holding: read, toldAs: place, context)
  }

  /// Does something with what was read.
  ///
  /// - Throws: ``Failure``, which says where the text is.
  func checking<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw kept(error, "your text is in \(place)") }
  }

  private var hint: Hint { "nothing was changed; your text is in \(place)" }

  /// Returns an error with the place of what was typed; where nothing was, and no editor goes on that a
  /// signal has left behind, the text goes.
  private func kept(_ error: any Error, _ hint: Hint) -> any Error {
    let isLeft = error as? Errno == .interrupted
    guard isLeft || FileText.mayHoldEdit(path, of: text) else {
      FileText.remove(path)
      return error
    }
    var failure = context.failure(error)
    failure.hints.append(hint)
    return failure
  }
}

extension Context {
  /// Returns the failure that an error is; what a signal cut off is the signal's.
  func failure(_ error: any Error) -> Failure {
    guard case .interrupted? = error as? Errno, let signal = invocation.signal() else {
      return Failure(error)
    }
    return .signal(signal)
  }

  /// Says what is wrong with a text and asks whether it is to be edited again; it isn't where nobody
  /// is there to be asked.
  func asksToEditAgain(_ fault: String) throws -> Bool {
    guard canAsk else { return false }
    output.warn(fault)
    let answer = try ask("[e]dit again or [l]eave it? [e]")
    return answer.map { ["", "e", "edit"].contains($0) } ?? false
  }
}
