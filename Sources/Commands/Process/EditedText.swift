import SyncEngine
import SyncModel
import SystemPackage
import Workspace

/// A text that the editor opens until it is valid or given up.
struct EditedText {
  private let text: [UInt8]
  private let path: String
  /// The path in messages.
  private let place: String
  private let context: Context
  private let editor: Editor
  /// The text that the editor saved.
  private var read: [UInt8] = []

  /// Writes the text for the editor, to the trash.
  init(
    _ text: [UInt8], for command: Workspace.EditorText, _ session: Session
  ) throws {
    let path = try session.workspace.lay(text, for: command)
    self.init(
      text, at: path, shownAs: session.place(ofPath: path), session.configuration,
      in: session.context)
  }

  /// Takes a text that is in a file already.
  init(
    _ text: [UInt8], at path: String, shownAs place: String, _ configuration: Configuration?,
    in context: Context
  ) {
    (self.text, self.path, self.place, self.context) = (text, path, place, context)
    editor = Editor(context.invocation.environment, configuration)
  }

  /// Opens the editor, again while the text has mistakes and a person agrees, and reads the text.
  ///
  /// - Returns: The parsed text; `nil` if it came back unchanged or empty.
  /// - Throws: ``Failure`` if the editor failed or a mistake was left; it names the kept file.
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

  /// Runs a body that applies the text, and then removes the file.
  func saving(_ body: () throws -> Void) throws {
    try keepingText(body)
    FileText.remove(path, holding: read, toldAs: place, context)
  }

  /// Runs a body; its failure gets a hint with the text's place.
  func keepingText<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw kept(error, "your text is in \(place)") }
  }

  private var hint: Hint { "nothing was changed; your text is in \(place)" }

  /// Adds the text's place to an error; removes a text that has no edit and no running editor.
  private func kept(_ error: any Error, _ hint: Hint) -> any Error {
    let isLeft = error as? Errno == .interrupted
    guard isLeft || FileText.isEdited(path, of: text) else {
      FileText.remove(path)
      return error
    }
    var failure = context.failure(error)
    failure.hints.append(hint)
    return failure
  }
}

extension Context {
  /// Returns the failure of an error; the signal's, if a signal interrupted the command.
  func failure(_ error: any Error) -> Failure {
    guard case .interrupted? = error as? Errno, let signal = invocation.signal() else {
      return Failure(error)
    }
    return .signal(signal)
  }

  /// Prints a text's fault and asks whether to edit again; no, if no person can be asked.
  func asksToEditAgain(_ fault: String) throws -> Bool {
    guard canAsk else { return false }
    output.warn(fault)
    return try ask("[e]dit again or [l]eave it? [e]", ["edit", "leave"]) == "edit"
  }
}
