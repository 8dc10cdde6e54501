import SyncEngine
import SyncModel
import Workspace

/// Who decides on conflicts, in this order: what the command line says, a tool that it names, the
/// setting `resolve.command`, a person.
struct Arbiter {
  /// What the command line says.
  var instruction: Instruction
  /// The command that makes the result of each conflict (`--tool`).
  var tool: String?
  /// Whether `resolve.command` is asked before a person is.
  var asksHandler: Bool

  /// What came of one conflict.
  enum Decision {
    /// It is settled so.
    case settled(Verdict)
    /// It stays open.
    case left
    /// It and all that follow stay open.
    case quit
  }

  /// Decides by what the command line says.
  ///
  /// Without anything said `resolve.command` is asked, and then a person.
  init(instruction: Instruction = .none, tool: String? = nil, asksHandler: Bool = true) {
    self.instruction = instruction
    self.tool = tool
    self.asksHandler = asksHandler
  }

  /// Whether programs or people may have to be asked.
  var mayAsk: Bool { instruction.isEmpty }
}

extension Session {
  /// Decides on a conflict, without the lock: a person may take their time.
  mutating func decide(
    _ conflict: Conflict, of key: ItemKey, by arbiter: Arbiter
  ) throws -> Arbiter.Decision {
    if let tool = arbiter.tool {
      return try runTool(tool, on: conflict, of: key)
    }
    if arbiter.asksHandler, let handler = configuration.text("resolve.command") {
      let decision = try runHandler(handler.string, on: conflict, of: key)
      if case .settled = decision { return decision }
    }
    guard context.canAsk else { return .left }
    return try ask(about: conflict, of: key)
  }
}
