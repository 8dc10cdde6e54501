import CLinux
import Glibc
import SyncModel
import SystemPackage

/// A change of a small file that its user may save at any moment.
///
/// ```
///   trash/.tmp-…   new text  ──┐ renameat2: one step, whatever the user does meanwhile
///   items/T/ID.json  old text ─┘
///                              then: is what came out what the caller had seen?
///                                yes → it goes to the trash      no → swapped back
/// ```
///
/// The new text is not beside the file, so that a crash leaves nothing among the items, and the next
/// command has to look through one small directory only. It is safe on disk before it takes its place: a
/// power loss leaves the old text or the new one.
struct Swap {
  /// What came of a change.
  enum Outcome: Equatable {
    /// It is as asked for; what was there, `nil` where that was nothing.
    case replaced(Displaced?)
    /// Something else was there than the caller had seen, and still is.
    case changedMeanwhile
  }

  /// What a change has displaced.
  struct Displaced: Equatable {
    /// The place in the trash.
    let place: String
    let bytes: [UInt8]
  }

  /// The file.
  let file: ReplacedFile
  /// The fingerprint of the new text; `nil` for a removal.
  let digest: Digest?
  private let expected: Digest?
  /// The name of the new text in the trash, then of what came out.
  private let name: String

  /// Writes the new text, beside which nothing is changed yet.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - text: Its new bytes; `nil` removes it.
  ///   - expected: The fingerprint of what the caller has seen; `nil` where nothing was there.
  ///   - mode: The permissions of the new file.
  ///   - durably: Whether the text is safe on disk when this returns. Otherwise the caller sees to that.
  /// - Throws: ``WorkspaceError/file(place:_:)``: then nothing is left of it.
  init(
    of file: ReplacedFile, to text: [UInt8]?, expecting expected: Digest?, mode: mode_t = 0o600,
    durably: Bool
  ) throws(WorkspaceError) {
    let digest = text.map { Digest(of: $0) }
    (self.file, self.digest, self.expected) = (file, digest, expected)
    name = Self.name(for: file, digest, expected)
    if let text { try stage(text, mode, durably: durably) }
  }

  private static func name(
    for file: ReplacedFile, _ new: Digest?, _ expected: Digest?
  ) -> String {
    let number = file.trash.nextNumber()
    // A text that takes an empty place is never swapped: its name needs to tell nothing.
    guard let expected else { return "\(Layout.temporary)\(getpid())-\(number)" }
    return StagedName(
      number: number, new: new.map(StagedName.short), old: StagedName.short(expected), file: file
    ).text
  }

  private func stage(
    _ text: [UInt8], _ mode: mode_t, durably: Bool
  ) throws(WorkspaceError) {
    let descriptor: Int32
    do throws(WorkspaceError) {
      descriptor = try trash.open(name, O_WRONLY | O_CREAT | O_EXCL, as: file.place)
    } catch .file(_, .permissionDenied) {
      // Who may not make a file there may well write to the item.
      throw .file(place: trash.place, .permissionDenied)
    }
    do throws(WorkspaceError) {
      do throws(WorkspaceError) {
        try FileBytes.write(text, to: descriptor, place: file.place)
        if mode & 0o7777 != 0o600 {
          try WorkspaceError.checking(file.place) { fchmod(descriptor, mode & 0o7777) }
        }
        if durably { try WorkspaceError.checking(file.place) { fsync(descriptor) } }
      } catch {
        close(descriptor)
        throw error
      }
      guard close(descriptor) == 0 else { throw .file(place: file.place, .current) }
    } catch {
      drop()
      throw error
    }
  }

  /// Removes the new text.
  func drop() { if digest != nil { unlinkat(trash.descriptor.rawValue, name, 0) } }

  /// Puts the text in the file's place, or drops it where something else is there than expected.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``: then the file is as it was, unless what came out can't be
  ///   read or kept; that is a leftover then.
  func run() throws(WorkspaceError) -> Outcome {
    guard let expected else { return try putIn() ? .replaced(nil) : .changedMeanwhile }
    guard digest != nil else {
      guard let bytes = try takeOut(name, expected) else { return .changedMeanwhile }
      return .replaced(Displaced(place: try file.keep(name), bytes: bytes))
    }
    switch exchange() {
    case .success: return try look(expected)
    case .failure(.noSuchFileOrDirectory): break
    case .failure(.invalidArgument), .failure(.noFunction):
      return try replaceWithoutExchange(expected)
    case .failure(let error):
      drop()
      throw .file(place: file.place, error)
    }
    drop()
    return .changedMeanwhile
  }

  private var trash: Directory { file.trash.directory }

  /// Swaps the text and the file in one step.
  private func exchange() -> Result<Int32, Errno> {
    let (from, to) = (trash.descriptor.rawValue, file.directory.descriptor.rawValue)
    return WorkspaceError.interruptible {
      tsync_renameat2(from, name, to, file.name, TSYNC_RENAME_EXCHANGE)
    }
  }

  /// After an exchange: keeps what came out in the trash, or undoes the exchange where it is not
  /// what the caller had seen.
  private func look(_ expected: Digest) throws(WorkspaceError) -> Outcome {
    if let bytes = try bytes(of: name), Digest(of: bytes) == expected {
      return .replaced(Displaced(place: try file.keep(name), bytes: bytes))
    }
    switch exchange() {
    case .success:
      // Where the user saved once more between the two exchanges, that newest text has its place.
      if try bytes(of: name).map({ Digest(of: $0) }) != digest { _ = exchange() }
    case .failure(.noSuchFileOrDirectory): break  // removed since: the user's last word
    case .failure(let error): throw .file(place: file.place, error)
    }
    // For a moment anybody could open this text by the file's name, and write to it still.
    _ = try file.keep(name)
    return .changedMeanwhile
  }

  private func bytes(of name: String) throws(WorkspaceError) -> [UInt8]? {
    guard case .file(let bytes, _) = try FileReading(name, in: trash, limit: .max - 1) else {
      return nil
    }
    return bytes
  }

  // MARK: Without an exchange

  /// Replaces the file where the file system can't exchange two names: for a moment nothing is there.
  ///
  /// What was taken out has a name until the text is there by which the next command puts it back while the
  /// place is empty.
  private func replaceWithoutExchange(_ expected: Digest) throws(WorkspaceError) -> Outcome {
    let seen = StagedName.short(expected)
    let out = StagedName(number: file.trash.nextNumber(), new: seen, old: seen, file: file)
    let other = Self.name(for: file, digest, expected)
    // Nothing is taken out where nothing can be put in, or where nobody could tell whose it is.
    guard out.target != nil, case .success = trash.move(name, to: trash, other) else {
      drop()
      throw .file(
        place: file.place, out.target == nil ? .notPermitted : Errno(rawValue: EOPNOTSUPP))
    }
    var isIn = false
    defer { if !isIn { unlinkat(trash.descriptor.rawValue, other, 0) } }
    guard let bytes = try takeOut(out.text, expected) else { return .changedMeanwhile }
    switch trash.move(other, to: file.directory, file.name) {
    case .success: isIn = true
    case .failure(.fileExists): break
    case .failure(let error):
      _ = trash.move(out.text, to: file.directory, file.name)
      throw .file(place: file.place, error)
    }
    let place = try file.keep(out.text)
    return isIn ? .replaced(Displaced(place: place, bytes: bytes)) : .changedMeanwhile
  }

  /// Moves the file to a temporary name in the trash, and back where it is not what the caller had seen: then
  /// it returns `nil`, else the bytes.
  private func takeOut(_ out: String, _ expected: Digest) throws(WorkspaceError) -> [UInt8]? {
    guard try file.takeOut(as: out) else { return nil }
    if let bytes = try bytes(of: out), Digest(of: bytes) == expected { return bytes }
    switch trash.move(out, to: file.directory, file.name) {
    case .success: break
    // Saved once more since: the newer one stays, this one is in the trash.
    case .failure(.fileExists): _ = try file.keep(out)
    case .failure(let error): throw .file(place: file.place, error)
    }
    return nil
  }

  /// Moves the new text to the file's place, if that is empty; otherwise it is dropped.
  private func putIn() throws(WorkspaceError) -> Bool {
    switch trash.move(name, to: file.directory, file.name) {
    case .success: return true
    case .failure(let error):
      drop()
      guard error == .fileExists else { throw .file(place: file.place, error) }
      return false
    }
  }
}
