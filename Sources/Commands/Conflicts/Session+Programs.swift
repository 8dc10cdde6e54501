import SyncEngine
import SyncModel
import SystemPackage
import Workspace

extension Session {
  mutating func runTool(
    _ command: String, on conflict: Conflict, of key: ItemKey
  ) throws -> Decider.Decision {
    let document = try layDocument(conflict, of: key)
    let program = try program(command, for: conflict, writing: document)
    let place = try place(of: document)
    let context = context
    let ending = try unlocked {
      try context.checkSignal()
      do { return try context.runInteractive(program) } catch {
        throw context.interrupted(error, key, place)
      }
    }
    guard ending.status == 0 else {
      context.output.warn("the tool ended with status \(ending.status): \(command)")
      return .left
    }
    return try taken(document, conflict)
  }

  /// Runs `resolve.command`, which decides instead of a person (tsync-config(5)).
  mutating func runHandler(
    _ command: String, on conflict: Conflict, of key: ItemKey
  ) throws -> Decider.Decision {
    let document = try layDocument(conflict, of: key)
    var program = try program(command, for: conflict, writing: document)
    program.isCaptured = true
    let place = try place(of: document)
    let context = context
    let ending = try unlocked {
      context.output.flush()
      let ending = try context.invocation.run(program)
      if context.canAsk, let number = ending.keyboardSignal {
        throw context.interrupted(Failure.signal(number), key, place)
      }
      return ending
    }
    let word = ending.output.split { $0 <= 0x20 }.first.map { Text(validating: $0) } ?? nil
    switch (ending.status, word) {
    case (0, "client"): return try settled(.client, conflict)
    case (0, "server"): return try settled(.server, conflict)
    case (0, "both"): return try settled(.both, conflict)
    case (0, "edited"): return try taken(document, conflict)
    case (0, "leave"): return .left
    default:
      let end = "status \(ending.status), '\(word?.string ?? "")'"
      context.output.warn("resolve.command did not resolve \(key): \(end)")
      return .left
    }
  }

  private mutating func taken(
    _ document: ConflictDocument, _ conflict: Conflict
  ) throws -> Decider.Decision {
    switch try result(of: document, conflict) {
    case .unchanged: return .left
    case .made(let resolution): return .settled(resolution)
    case .mistake(let error):
      context.output.warn("\(try place(of: document)):\(error)")
      return .left
    }
  }

  /// Gives a command the paths of a conflict's sides (tsync-resolve(1), --tool).
  private func program(
    _ command: String, for conflict: Conflict, writing document: ConflictDocument
  ) throws -> Program {
    let key = document.key
    // The client side is in its conflict file, or in the item's file if that was edited.
    let isSide = try workspace.conflictClient(of: key).item == conflict.client
    let client = try isSide ? workspace.path(of: key, .client) : workspace.path(of: key)
    let base = try workspace.path(of: key, .base)
    let paths: [(name: Text, value: Text)] = [
      ("BASE", Text(try Times.ofFile(base) == nil ? "/dev/null" : base)),
      ("CLIENT", Text(client)), ("SERVER", Text(try workspace.path(of: key, .server))),
      ("RESULT", Text(workspace.path(of: document))),
    ]
    var program = Program.shell(command, in: context.invocation)
    program.environment = program.environment.setting(paths)
    return program
  }
}
