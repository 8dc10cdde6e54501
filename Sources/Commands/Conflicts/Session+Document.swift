import SyncEngine
import SyncModel
import SystemPackage
import Workspace

/// The marked document, and the editor that is opened on it.
extension Session {
  /// How often the editor is opened on one conflict.
  private static let openings = 5

  /// Opens the editor, or the tool in its place, until the document is right or left.
  mutating func edit(
    _ conflict: Conflict, of key: ItemKey
  ) throws -> Arbiter.Decision {
    if let tool = configuration.text("resolve.tool") {
      return try runTool(tool.string, on: conflict, of: key)
    }
    let editor = Editor(context.invocation.environment, configuration)
    for _ in 0..<Self.openings {
      // Another command may have settled it while its user was asked.
      _ = try use { try $0.conflict(key) }
      let document = try layDocument(conflict, of: key)
      let (path, place) = (try path(of: document), try place(of: document))
      try pause()
      try context.checkSignal()
      do {
        try editor.open(path, in: context)
      } catch let failure as Failure where !failure.status.isSignal {
        if let message = failure.message { context.output.warn(message) }
        return .left
      } catch {
        throw interrupted(error, key, place)
      }
      switch try result(of: document, conflict) {
      case .unchanged: return .left
      case .made(let verdict): return .settled(verdict)
      case .mistake(let error):
        context.output.warn("\(place):\(error)")
        // Others need not wait while a person thinks.
        try pause()
        guard try editsAgain() else { return .left }
      }
    }
    return .left
  }

  /// Returns the error of a program that decides on a conflict; where a signal asks this command to end,
  /// with the place of its text, and what becomes of the conflict.
  ///
  /// The workspace isn't asked: another process may hold it, and a signal leaves no time to wait.
  func interrupted(_ error: any Error, _ key: ItemKey, _ place: String) -> any Error {
    var failure = context.failure(error)
    guard failure.status.isSignal else { return error }
    failure.hints.append("its text is in \(place), and \(key) stays in conflict")
    return failure
  }

  private func editsAgain() throws -> Bool {
    while context.canAsk {
      guard let answer = try context.ask("[e]dit again, [l]eave? [e]") else { return false }
      switch Text(answer) {
      case "", "e", "edit": return true
      case "l", "leave": return false
      default: continue
      }
    }
    return false
  }

  /// What came of a marked document.
  enum Made {
    case unchanged
    case made(Verdict)
    case mistake(JSONError)
  }

  /// Reads what became of a document; another one may have been made since for another command.
  mutating func result(
    of document: ConflictDocument, _ conflict: Conflict
  ) throws -> Made {
    let key = document.key
    let (bytes, late) = try use { try $0.workspace.text(of: document) }
    guard bytes != document.text else { return .unchanged }
    if let late { context.output.warn("\(key) was changed meanwhile; your text is in \(late)") }
    guard let text = bytes else { return .unchanged }
    let merged = MarkedDocument(text, of: key.id)
    guard !merged.isBlank else { return .unchanged }
    do throws(JSONError) {
      guard let verdict = Verdict(edited: try merged.item(), in: conflict) else {
        let words = "it can be deleted only if one side deleted it"
        return .mistake(JSONError(at: 0, of: text, words))
      }
      return .made(verdict)
    } catch {
      return .mistake(error)
    }
  }

  /// Returns the path of a document.
  mutating func path(of document: ConflictDocument) throws -> String {
    try use { $0.workspace.path(of: document) }
  }

  /// Returns where a document lies, as people are shown it.
  mutating func place(of document: ConflictDocument) throws -> String {
    try use { $0.place(ofPath: $0.workspace.path(of: document)) }
  }

  /// Lays the marked document where the editor finds it, unless it lies there from the last time.
  mutating func layDocument(
    _ conflict: Conflict, of key: ItemKey
  ) throws -> ConflictDocument {
    let output = context.output
    return try use { open in
      let document = try open.workspace.document(
        from: MarkedDocument(conflict, of: key.id).text, of: key)
      if let place = document.displaced {
        output.warn("an earlier merge of \(key) is kept in \(place)")
      }
      return document
    }
  }
}
