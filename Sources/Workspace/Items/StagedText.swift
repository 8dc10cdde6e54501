import CLinux
import Glibc
import SyncModel
import SystemPackage

/// A new text that lies ready in the trash to take a file's place.
///
/// It is not beside the file, so that a crash leaves nothing among the items, and recovery has to look
/// through one small directory only.
struct StagedText: ~Copyable {
  /// So many texts of a command are safe on disk before they take their places.
  ///
  /// A power loss then leaves no torn file. For very many it would take too long, each for itself.
  static let few = 64

  private let file: ReplacedFile
  private let expected: Digest?
  private let digest: Digest
  private let name: String

  /// Writes the text.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``: then nothing is left of it.
  init(
    _ text: [UInt8], for file: ReplacedFile, expecting expected: Digest?, mode: mode_t = 0o600,
    durably: Bool = false
  ) throws(WorkspaceError) {
    let digest = Digest(of: text)
    let trash = file.trash
    let number = trash.nextNumber()
    // A text that takes an empty place is never swapped: its name needs to tell nothing.
    let name =
      expected.map {
        StagedName(
          number: number, new: StagedName.short(digest), old: StagedName.short($0), file: file
        ).text
      } ?? "\(Layout.temporary)\(getpid())-\(number)"
    let descriptor: Int32
    do throws(WorkspaceError) {
      descriptor = try trash.directory.open(name, O_WRONLY | O_CREAT | O_EXCL, as: file.place)
    } catch .file(_, .permissionDenied) {
      // Who may not make a file there may well write to the item.
      throw .file(place: trash.directory.place, .permissionDenied)
    }
    do throws(WorkspaceError) {
      do throws(WorkspaceError) {
        try FileBytes.write(text, to: descriptor, place: file.place)
        if mode & 0o7777 != 0o600 {
          try WorkspaceError.checking(file.place) { fchmod(descriptor, mode & 0o7777) }
        }
        if durably || number <= Self.few {
          try WorkspaceError.checking(file.place) { fsync(descriptor) }
        }
      } catch {
        close(descriptor)
        throw error
      }
      guard close(descriptor) == 0 else { throw .file(place: file.place, .current) }
    } catch {
      unlinkat(trash.directory.descriptor.rawValue, name, 0)
      throw error
    }
    self.file = file
    self.expected = expected
    self.digest = digest
    self.name = name
  }

  /// Puts the text in the file's place, or drops it where something else is there than expected.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``: then the file is as it was.
  consuming func takePlace() throws(WorkspaceError) -> ReplacedFile.Outcome {
    guard let expected else { return try takeEmptyPlace() }
    switch exchange() {
    case .success: return try settle(expected)
    case .failure(.noSuchFileOrDirectory): return try drop()
    case .failure(.invalidArgument), .failure(.noFunction):
      return try replaceWithoutExchange(expected)
    case .failure(let error):
      try trash.remove(name)
      throw .file(place: file.place, error)
    }
  }

  /// Swaps the staged text and the file in one step.
  func exchange() -> Result<Int32, Errno> {
    let (from, to) = (trash.descriptor.rawValue, file.directory.descriptor.rawValue)
    return WorkspaceError.interruptible {
      tsync_renameat2(from, name, to, file.name, TSYNC_RENAME_EXCHANGE)
    }
  }

  /// After an exchange: keeps what came out in the trash, or undoes the exchange where it is not
  /// what the caller had seen.
  func settle(_ expected: Digest) throws(WorkspaceError) -> ReplacedFile.Outcome {
    if try digestOfStaged() == expected {
      return .replaced(displaced: try file.keep(name))
    }
    switch exchange() {
    case .success: break
    case .failure(.noSuchFileOrDirectory):
      // Removed since: the user's last word. What was saved before it is kept.
      _ = try file.keep(name)
      return .changedMeanwhile
    case .failure(let error): throw .file(place: file.place, error)
    }
    // Where the user saved once more between the two exchanges, that newest text has its place.
    if try digestOfStaged() != digest { _ = exchange() }
    // For a moment anybody could open this text by the file's name, and write to it still.
    _ = try file.keep(name)
    return .changedMeanwhile
  }

  /// Replaces the file where the file system can't exchange two names: a save between the check and
  /// the renaming would be displaced, but stays in the trash.
  func replaceWithoutExchange(_ expected: Digest) throws(WorkspaceError) -> ReplacedFile.Outcome {
    guard case .file(let bytes, _) = try file.read(limit: .max - 1), Digest(of: bytes) == expected
    else { return try drop() }
    let kept = StagedName(
      number: file.trash.nextNumber(), new: nil, old: StagedName.short(expected), file: file
    ).text
    let (from, to) = (trash.descriptor.rawValue, file.directory.descriptor.rawValue)
    try WorkspaceError.checking(file.place) { linkat(to, file.name, from, kept, 0) }
    try WorkspaceError.checking(file.place) { renameat(from, name, to, file.name) }
    return .replaced(displaced: try file.keep(kept))
  }

  private func takeEmptyPlace() throws(WorkspaceError) -> ReplacedFile.Outcome {
    switch trash.move(name, to: file.directory, file.name) {
    case .success: return .replaced(displaced: nil)
    case .failure(.fileExists): return try drop()
    case .failure(let error):
      try trash.remove(name)
      throw .file(place: file.place, error)
    }
  }

  private func drop() throws(WorkspaceError) -> ReplacedFile.Outcome {
    try trash.remove(name)
    return .changedMeanwhile
  }

  private var trash: Directory { file.trash.directory }

  private func digestOfStaged() throws(WorkspaceError) -> Digest? {
    guard case .file(let bytes, _) = try FileReading(name, in: trash, limit: .max - 1) else {
      return nil
    }
    return Digest(of: bytes)
  }
}
