import SyncModel
import Workspace

/// A text that is opened in an editor until it is right, or given up.
struct EditedText {
  private let text: [UInt8]
  private let path: String
  /// Where it lies, as people are told.
  private let place: String
  private let context: Context
  private let editor: Editor

  /// Lays the text where the editor finds it: in the workspace's trash, under a name that begins so.
  ///
  /// - Throws: ``WorkspaceError``.
  init(_ text: [UInt8], named name: String, _ open: OpenWorkspace, in context: Context) throws {
    self.text = text
    self.context = context
    path = try open.workspace.lay(text, named: name)
    place = open.place(ofPath: path)
    editor = Editor(context.invocation.environment, open.configuration)
  }

  /// Opens the editor, again while the text has mistakes and a person wants to, and reads what comes
  /// back.
  ///
  /// - Returns: What was read; `nil` where the text came back as it was, or empty.
  /// - Throws: ``Failure``: the editor failed, or a mistake was left; what was typed is kept where the
  ///   failure says.
  func result<Value>(_ read: ([UInt8]) throws(JSONError) -> Value) throws -> Value? {
    while true {
      do {
        try editor.open(path, in: context)
      } catch {
        throw try kept(error)
      }
      let bytes = try FileText.read(path, editedAt: place)
      guard bytes != text, bytes.contains(where: { $0 > 0x20 }) else {
        FileText.remove(path)
        return nil
      }
      do throws(JSONError) {
        let value = try read(bytes)
        FileText.remove(path)
        return value
      } catch {
        guard try context.asksToEditAgain("\(place):\(error)") else {
          throw Failure(.rejected, "\(place):\(error)", hints: [hint])
        }
      }
    }
  }

  private var hint: Failure.Hint { "nothing was taken; your text is in \(place)" }

  /// Returns an editor's failure with the place of what was typed; where nothing was, the text goes.
  private func kept(_ error: any Error) throws -> any Error {
    guard let bytes = try? FileText.read(path), bytes != text else {
      FileText.remove(path)
      return error
    }
    var failure = Failure(error)
    failure.hints.append(hint)
    return failure
  }
}

extension Context {
  /// Says what is wrong with a text and asks whether it is to be edited again; it isn't where nobody
  /// is there to be asked.
  func asksToEditAgain(_ fault: String) throws -> Bool {
    guard canAsk else { return false }
    output.warn(fault)
    let answer = try ask("[e]dit again or [l]eave it? [e]")
    return answer.map { ["", "e", "edit"].contains($0) } ?? false
  }
}
