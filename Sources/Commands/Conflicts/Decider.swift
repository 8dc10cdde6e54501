import SyncEngine
import SyncModel
import Workspace

/// The sources of a decision, in order: the command line, `--tool`, `resolve.command`, a person.
struct Decider {
  var choices = FieldChoices()
  /// The command of `--tool`, which makes the result of each conflict.
  var tool: String?
  /// Whether `resolve.command` decides before a person is asked.
  var asksHandler = true
  /// Whether a person has quit: all later conflicts stay open.
  var hasQuit = false
  /// The sides that a person chose for all conflicts of a kind, by ``Conflict/words``.
  var sides: [String: Resolution.Side] = [:]
}

extension Session {
  /// Decides a conflict; without the lock if a program or a person does.
  ///
  /// - Returns: `nil` if the conflict stays open.
  mutating func decide(
    _ conflict: Conflict, of key: ItemKey, by decider: inout Decider
  ) throws -> Resolution? {
    guard decider.choices.isEmpty else {
      if decider.choices.side == .both, conflict.client == nil {
        context.printer.warn("\(key) is deleted here; --both needs two versions")
      }
      return try decider.choices.resolution(of: conflict, key, in: self)
    }
    // A rehearsal runs no program, and asks nobody.
    guard workspace.isWriting, !decider.hasQuit else { return nil }
    if let tool = decider.tool {
      return try run(.tool, tool, on: conflict, of: key)
    }
    if decider.asksHandler, let handler = configuration.text("resolve.command"),
      let resolution = try run(.handler, handler.string, on: conflict, of: key)
    {
      return resolution
    }
    guard context.canAsk else { return nil }
    return try ask(about: conflict, of: key, by: &decider)
  }

  func resolution(
    _ side: Resolution.Side, of conflict: Conflict, _ key: ItemKey
  ) throws -> Resolution? {
    Resolution(side, of: conflict, id: try copyID(of: conflict, key))
  }

  /// Returns the id of the item that keeps the client's version: it is made of what is in conflict, so that
  /// after a kill the same command makes no second one.
  private func copyID(of conflict: Conflict, _ key: ItemKey) throws -> ItemID {
    let sides = [conflict.client, conflict.server].map {
      $0.map { JSON.object($0.fields) } ?? .null
    }
    var number = 0
    while true {
      let text: JSON = .array([.string(Text("\(key)")), .integer(number)] + sides)
      let copy = ItemKey(key.table, try ItemID(Text(Digest(of: text.encoded()).description)))
      let there = try workspace.client(copy)
      if there.item == conflict.client { return copy.id }
      if there == .absent, try workspace.base(of: copy) == .neverSeen { return copy.id }
      number += 1
    }
  }
}
