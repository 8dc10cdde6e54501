import SyncEngine
import SyncModel
import SystemPackage
import Workspace

extension Session {
  /// How often the editor opens for one conflict.
  private static let openings = 5

  /// Opens the editor, or `resolve.tool` instead, until the document is valid or left.
  mutating func edit(
    _ conflict: Conflict, of key: ItemKey
  ) throws -> Decider.Decision {
    if let tool = configuration.text("resolve.tool") {
      return try runTool(tool.string, on: conflict, of: key)
    }
    let context = context
    let editor = Editor(context.invocation.environment, configuration)
    for _ in 0..<Self.openings {
      // Another command may have resolved it while the person was asked.
      _ = try self.conflict(key)
      let document = try layDocument(conflict, of: key)
      let (path, place) = (try path(of: document), try place(of: document))
      let failure = try unlocked { () -> Failure? in
        try context.checkSignal()
        do {
          try editor.open(path, in: context)
          return nil
        } catch let failure as Failure where !failure.status.isSignal {
          return failure
        } catch {
          throw context.interrupted(error, key, place)
        }
      }
      if let failure {
        if let message = failure.message { context.output.warn(message) }
        return .left
      }
      switch try result(of: document, conflict) {
      case .unchanged: return .left
      case .made(let resolution): return .settled(resolution)
      case .mistake(let error):
        context.output.warn("\(place):\(error)")
        guard try unlocked(context.editsAgain) else { return .left }
      }
    }
    return .left
  }

  enum EditResult {
    case unchanged
    case made(Resolution)
    case mistake(JSONError)
  }

  /// Reads an edited document; another command may have made a new one since.
  mutating func result(
    of document: ConflictDocument, _ conflict: Conflict
  ) throws -> EditResult {
    let key = document.key
    let (bytes, late) = try workspace.text(of: document)
    guard bytes != document.text else { return .unchanged }
    if let late { context.output.warn("another program changed \(key); your text is in \(late)") }
    guard let text = bytes else { return .unchanged }
    let merged = MarkedDocument(text, of: key.id)
    guard !merged.isBlank else { return .unchanged }
    do throws(JSONError) {
      guard let resolution = Resolution(edited: try merged.item(), in: conflict) else {
        let words = "it can be deleted only if one side deleted it"
        return .mistake(JSONError(at: 0, of: text, words))
      }
      return .made(resolution)
    } catch {
      return .mistake(error)
    }
  }

  func path(of document: ConflictDocument) throws -> String {
    workspace.path(of: document)
  }

  func place(of document: ConflictDocument) throws -> String {
    place(ofPath: workspace.path(of: document))
  }

  /// Writes the marked document for the editor, unless it is there from the last time.
  mutating func layDocument(
    _ conflict: Conflict, of key: ItemKey
  ) throws -> ConflictDocument {
    let document = try workspace.document(
      from: MarkedDocument(conflict, of: key.id).text, of: key)
    if let place = document.displaced {
      context.output.warn("an earlier merge of \(key) is kept in \(place)")
    }
    return document
  }
}

extension Context {
  /// Adds the place of the text to the failure if a signal ended a program that decides.
  ///
  /// It doesn't open the workspace: another process may hold it, and a signal leaves no time.
  func interrupted(_ error: any Error, _ key: ItemKey, _ place: String) -> any Error {
    var failure = failure(error)
    guard failure.status.isSignal else { return error }
    failure.hints.append("its text is in \(place), and \(key) stays in conflict")
    return failure
  }

  fileprivate func editsAgain() throws -> Bool {
    while canAsk {
      guard let answer = try ask("[e]dit again, [l]eave? [e]") else { return false }
      switch Text(answer) {
      case "", "e", "edit": return true
      case "l", "leave": return false
      default: continue
      }
    }
    return false
  }
}
