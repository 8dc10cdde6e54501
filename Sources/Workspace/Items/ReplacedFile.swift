import Glibc
import SyncEngine
import SyncModel
import SystemPackage

/// A small file that its user may save at any moment, and its replacing.
///
/// ```
///   trash/.tmp-…   new text  ──┐ renameat2: one step, whatever the user does meanwhile
///   items/T/ID.json  old text ─┘
///                              then: is what came out what the caller had seen?
///                                yes → it goes to the trash      no → swapped back
/// ```
///
/// No `fsync` is made unless asked for: ``Workspace/settle(afresh:)`` makes many replacements
/// durable at once.
struct ReplacedFile {
  /// What came of replacing or removing.
  enum Outcome: Equatable {
    /// It is as asked for; the place of the old bytes in the trash, `nil` where there were none.
    case replaced(displaced: String?)
    /// Something else was there than the caller had seen, and still is.
    case changedMeanwhile
  }

  /// Where the file lies, as a directory of its own: ``Layout/items`` or ``Layout/conflicts``.
  let kind: String
  /// The table.
  let table: TableName
  /// The directory.
  let directory: Directory
  /// The file's name.
  let name: String
  /// Where its old bytes go.
  let trash: Trash

  /// The file's name without its suffix.
  var stem: String { String(Substring(name.utf8.dropLast(FileName.suffix.string.utf8.count))) }

  /// The file's path, as people are shown it.
  var place: String { directory.place(of: name) }

  /// Reads the file.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func read(limit: Int) throws(WorkspaceError) -> FileReading {
    try FileReading(name, in: directory, limit: limit)
  }

  /// Replaces the file, or makes it, if it is what the caller has seen.
  ///
  /// - Parameters:
  ///   - text: The new bytes.
  ///   - expected: The fingerprint of what the caller has seen; `nil` where nothing was there.
  ///   - mode: The permissions of the new file.
  ///   - durably: Whether it survives a power loss when this returns.
  /// - Returns: Whether it was replaced.
  /// - Throws: ``WorkspaceError/file(place:_:)``: then the file is as it was.
  func replace(
    with text: [UInt8], expecting expected: Digest?, mode: mode_t = 0o600, durably: Bool = false
  ) throws(WorkspaceError) -> Outcome {
    let staged = try StagedText(
      text, for: self, expecting: expected, mode: mode, durably: durably)
    let outcome = try staged.takePlace()
    if durably { try directory.synchronize() }
    return outcome
  }

  /// Moves the file to the trash, if it is what the caller has seen.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func remove(expecting expected: Digest) throws(WorkspaceError) -> Outcome {
    let temporary = StagedName(
      number: trash.nextNumber(), new: nil, old: StagedName.short(expected), file: self)
    switch directory.move(name, to: trash.directory, temporary.text) {
    case .success: break
    case .failure(.noSuchFileOrDirectory): return .changedMeanwhile
    case .failure(let error): throw .file(place: place, error)
    }
    let taken = try FileReading(temporary.text, in: trash.directory, limit: .max - 1)
    if case .file(let bytes, _) = taken, Digest(of: bytes) == expected {
      return .replaced(displaced: try keep(temporary.text))
    }
    switch trash.directory.move(temporary.text, to: directory, name) {
    case .success: return .changedMeanwhile
    case .failure(.fileExists):
      // Saved once more since: the newer one stays, this one is in the trash.
      _ = try keep(temporary.text)
      return .changedMeanwhile
    case .failure(let error): throw .file(place: place, error)
    }
  }

  /// Runs a step that replaces or removes the file.
  ///
  /// - Throws: `UnwritableItem` if the system refuses it for this file, though another one could be made
  ///   beside it; else what the step throws.
  func writing<Result>(_ step: () throws(WorkspaceError) -> Result) throws -> Result {
    do throws(WorkspaceError) { return try step() } catch {
      guard case .file(place, let reason) = error,
        [.notPermitted, .permissionDenied].contains(reason),
        [directory, trash.directory].allSatisfy({
          faccessat($0.descriptor.rawValue, ".", W_OK | X_OK, 0) == 0
        })
      else { throw error }
      throw UnwritableItem(place: place)
    }
  }

  /// Gives a file that lies in the trash under a temporary name its name there.
  ///
  /// - Returns: Its place.
  func keep(_ temporary: String) throws(WorkspaceError) -> String {
    let target = try trash.directory(kind, table)
    let name = try trash.take(
      temporary, from: trash.directory, named: self.stem, suffix: FileName.suffix.string, to: target
    )
    return target.place(of: name)
  }
}
