import CLinux
import Glibc

/// Files read and written as a program does that knows nothing of tsync.
package enum Files {
  /// Reads a file; `nil` where there is none that this process may read.
  package static func read(_ path: String) -> [UInt8]? {
    // A pipe that nobody writes to has no bytes.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    // What this process has no room for is not gone.
    precondition(descriptor >= 0 || ![EMFILE, ENFILE].contains(errno), "too many files are open")
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// Reads a text file; `nil` where there is none.
  package static func text(_ path: String) -> String? {
    read(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes a file, in place.
  package static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "can't write \(path)")
    defer { close(descriptor) }
    precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "can't write \(path)")
  }

  /// Returns the names in a directory, hidden ones too, in their order; none where there is no such
  /// directory.
  package static func names(in path: String) -> [String] {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      precondition(errno == ENOENT || errno == ENOTDIR, "can't list \(path): \(errno)")
      return []
    }
    defer { close(descriptor) }
    var names: [String] = []
    // Not readdir(3), which a directory that is simulated below the system's calls doesn't know.
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = tsync_getdents64(descriptor, &buffer, UInt(buffer.count)), count > 0 {
      var entry = buffer[..<count]
      while !entry.isEmpty {
        // Inode and offset, 8 bytes each, the entry's length, 2, its type, 1, the name.
        let length = Int(entry[entry.startIndex + 16]) | Int(entry[entry.startIndex + 17]) << 8
        let name = String(
          decoding: entry.prefix(length).dropFirst(19).prefix { $0 != 0 }, as: UTF8.self)
        if name != ".", name != ".." { names.append(name) }
        entry = entry.dropFirst(length)
      }
    }
    return names.sorted()
  }

  /// Removes what lies at a path, and all that lies in it.
  package static func remove(_ path: String) {
    // Of a link only the link goes; only a directory with something in it can't go at once.
    guard Glibc.remove(path) != 0, errno == ENOTEMPTY else { return }
    for name in names(in: path) { remove("\(path)/\(name)") }
    Glibc.remove(path)
  }
}
