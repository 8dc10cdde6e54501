import Glibc
import SystemPackage

@testable import Workspace

/// A directory in memory with a log's file and the trash in it; it goes with the value.
final class ScratchDirectory {
  /// Where the file lies.
  let directory: Directory
  /// What takes what is cut off.
  let trash: Trash
  private let path: String

  /// Makes the directory with a file in it; `nil` where the system has no room for it.
  init?(_ bytes: [UInt8], named name: String) {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/tsync-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    mkdir(path + "/trash", 0o700)
    guard let directory = try? Directory(path: path, place: ""),
      let trash = try? directory.child("trash")
    else { return nil }
    self.directory = directory
    self.trash = Trash(trash, clock: { 0 })
    write(bytes, to: name)
  }

  deinit {
    for place in [trash.directory, directory] {
      for name in (try? place.names()) ?? [] where name != "trash" { _ = try? place.remove(name) }
    }
    rmdir(path + "/trash")
    rmdir(path)
  }

  /// Writes a file.
  func write(_ bytes: [UInt8], to name: String) {
    guard let descriptor = try? directory.open(name, O_WRONLY | O_CREAT | O_TRUNC) else { return }
    try? FileBytes.write(bytes, to: descriptor, place: name)
    close(descriptor)
  }

  /// Returns what a file holds.
  func read(_ name: String, in place: Directory? = nil) -> [UInt8] {
    let reading = try? FileReading(name, in: place ?? directory, limit: 1 << 30)
    guard case .file(let bytes, _) = reading else { return [] }
    return bytes
  }

  /// What the trash holds, end to end.
  var kept: [UInt8] {
    ((try? trash.directory.names()) ?? []).sorted().flatMap { read($0, in: trash.directory) }
  }

  /// The names of the files beside the trash.
  var names: [String] { ((try? directory.names()) ?? []).filter { $0 != "trash" } }
}
