import SyncEngine
import SyncModel
import Workspace

/// The sources of a decision, in order: the command line, `--tool`, `resolve.command`, a person.
struct Decider {
  var choices: FieldChoices
  /// The command of `--tool`, which makes the result of each conflict.
  var tool: String?
  /// Whether `resolve.command` decides before a person is asked.
  var asksHandler: Bool

  enum Decision {
    case settled(Resolution)
    /// The conflict stays open.
    case left
    /// The conflict and all later ones stay open.
    case quit
  }

  init(choices: FieldChoices = .none, tool: String? = nil, asksHandler: Bool = true) {
    self.choices = choices
    self.tool = tool
    self.asksHandler = asksHandler
  }

  /// Whether a program or a person may have to decide.
  var isInteractive: Bool { choices.isEmpty }
}

extension Session {
  /// Decides a conflict without the lock, because a person may take long.
  mutating func decide(
    _ conflict: Conflict, of key: ItemKey, by decider: Decider
  ) throws -> Decider.Decision {
    if let tool = decider.tool {
      return try runTool(tool, on: conflict, of: key)
    }
    if decider.asksHandler, let handler = configuration.text("resolve.command") {
      let decision = try runHandler(handler.string, on: conflict, of: key)
      if case .settled = decision { return decision }
    }
    guard context.canAsk else { return .left }
    return try ask(about: conflict, of: key)
  }
}
