import SyncEngine
import SyncModel
import Workspace

extension InvalidItem {
  /// The command that compares a copy with its item; it comes before the other one.
  var comparison: Hint? {
    guard case .copy(let original)? = way else { return nil }
    return "\(shell: "diff", places: [path(of: original), path(of: fileName)])"
  }

  /// The command that mends it, where there is one.
  var hint: Hint? {
    switch way {
    case .copy?: "\(Hint.Piece.command(["tsync", "rm"], places: [path(of: fileName)]))"
    // What has got that name meanwhile is never overwritten.
    case .rename(let name)?:
      "\(shell: "mv", "-n", places: [path(of: fileName), path(of: name)])"
    case .changeID(let id, let name)?:
      "change the id in it to '\(id)', or rename the file to \(name)"
    case .changeIDOrRemove(let id)?: "change the id in it to '\(id)', or remove it"
    case .restore(let key)?: "\(typed: "restore", "\(key)")"
    case .nameIsTaken(let name)?: "give it another name, because \(name) already exists"
    case .edit(let key)?: "\(typed: "edit", "\(key)")"
    case nil: nil
    }
  }

  private func path(of name: String) -> String {
    ".todosync/\(PathName.split(place).directory)/\(name)"
  }
}

extension Finding {
  /// What its user can do about it; `nil` where that isn't known.
  var hint: Hint? {
    switch way {
    case .mend(let invalid)?, .mendSide(let invalid)?: invalid.comparison ?? invalid.hint
    case .restore(let key, let isLive)?:
      "\(isLive ? "to bring it back" : "to drop it"): \(typed: "restore", "\(key)")"
    case .restoreMissing?: "to bring the items back: \(typed: "restore", "--missing")"
    case .editSettings?: "to fix it: \(typed: "config", "--edit")"
    case .setAddress?: "to set it: \(typed: "remote", "set", "ADDRESS")"
    case nil: nil
    }
  }
}
