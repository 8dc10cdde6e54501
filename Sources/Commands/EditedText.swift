import SyncModel
import Workspace

/// A text that is opened in an editor until it is right, or given up.
struct EditedText {
  private let text: [UInt8]
  private let path: String
  private let context: Context
  private let editor: Editor

  /// Lays the text where the editor finds it: in the workspace's trash, under a name that begins so.
  ///
  /// - Throws: ``WorkspaceError``.
  init(_ text: [UInt8], named name: String, _ open: OpenWorkspace, in context: Context) throws {
    self.text = text
    self.context = context
    path = try open.workspace.lay(text, named: name)
    editor = Editor(context.invocation.environment, open.configuration)
  }

  /// Opens the editor, again while the text has mistakes and a person wants to, and reads what comes
  /// back.
  ///
  /// - Returns: What was read; `nil` where the text came back as it was, or empty.
  /// - Throws: ``Failure``: a mistake was left, and the text is kept where the failure says.
  func result<Value>(_ read: ([UInt8]) throws(JSONError) -> Value) throws -> Value? {
    while true {
      do {
        try editor.open(path, in: context)
      } catch {
        FileText.remove(path)
        throw error
      }
      let bytes = try FileText.read(path)
      guard bytes != text, bytes.contains(where: { $0 > 0x20 }) else {
        FileText.remove(path)
        return nil
      }
      do throws(JSONError) {
        let value = try read(bytes)
        FileText.remove(path)
        return value
      } catch {
        guard try context.asksToEditAgain("\(path):\(error)") else {
          throw Failure(
            .rejected, "\(path):\(error)", hints: ["nothing was taken; the text is kept there"])
        }
      }
    }
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
