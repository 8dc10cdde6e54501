import Glibc
package import SyncModel
import SystemPackage

/// The findings of the doctor, which reads all files and items of a workspace and writes none.
///
/// It does not go by the stat index, which is itself examined: items are read and fingerprinted, and
/// rows parsed. What is right where it is found is decided by the files as they are at that moment:
/// nobody else should be writing.
package struct Examination: Equatable, Sendable {
  /// What was found, file by file.
  package internal(set) var findings: [Finding] = []
  /// The tables that were looked at.
  package internal(set) var tables: [TableName] = []
  /// How many files of items there are.
  package internal(set) var items = 0

  /// The findings that are more than notes.
  package var faults: [Finding] { findings.filter { $0.gravity != .note } }
}

extension Workspace {
  /// Examines a workspace that need not be fit to be opened.
  ///
  /// - Parameters:
  ///   - path: The directory that holds `.todosync`.
  ///   - patience: How many seconds to wait for another process that writes; `nil` doesn't ask whether
  ///     there is one. Nothing is written for that, not even to the lock.
  ///   - clock: The time, in nanoseconds since 1970.
  /// - Returns: What was found; faults of any file are findings, not errors.
  /// - Throws: ``WorkspaceError`` where there is no workspace, or another process keeps writing to it.
  package static func examine(
    at path: String, patience: Double? = nil, clock: @escaping () -> Int64
  ) throws(WorkspaceError) -> Examination {
    let root = try openRoot(at: path)
    let lock = try patience.flatMap { (patience) throws(WorkspaceError) in
      do throws(WorkspaceError) {
        return try DirectoryLock(sharing: Layout.lock, in: root, patience: patience)
      } catch {
        // What is no file can't be locked; that is a finding.
        guard case .damaged = error else { throw error }
        return nil
      }
    }
    defer { withExtendedLifetime(lock) {} }
    return Examiner(root, clock: clock).examination()
  }

  /// Examines this workspace as it is now; nothing is written, and nothing remembered is relied on.
  package func examine() -> Examination {
    Examiner(root, started: started, clock: clock).examination()
  }
}
