import Glibc

/// A fresh directory that goes with its owner, whatever lies in it by then.
package final class TemporaryDirectory: Sendable {
  /// Its absolute path.
  package let path: String

  /// Makes the directory, readable by its owner only.
  ///
  /// In memory, where the system has a place for that, it is as fast as many runs need it.
  package init(inMemory: Bool = false) {
    Descriptors.raiseLimit()
    let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    path = "\(parent)/tsync-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    precondition(mkdir(path, 0o700) == 0, "can't make \(path)")
  }

  deinit { removeAll(path) }

  private func removeAll(_ path: String) {
    // Of a link only the link goes; only a directory with something in it can't go at once.
    guard remove(path) != 0, let stream = opendir(path) else { return }
    let names = Self.names(in: stream)
    closedir(stream)
    for name in names { removeAll("\(path)/\(name)") }
    remove(path)
  }

  /// Returns the path of something in the directory.
  package func path(of name: String) -> String { "\(path)/\(name)" }

  /// Writes a file as a program does that knows nothing of tsync; directories above it are made.
  package func write(_ bytes: [UInt8], to name: String) {
    var parent = path
    for part in name.utf8.split(separator: UInt8(ascii: "/")).dropLast() {
      parent += "/" + String(Substring(part))
      mkdir(parent, 0o700)
    }
    let descriptor = open(path(of: name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "can't write \(name)")
    defer { close(descriptor) }
    precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "can't write \(name)")
  }

  /// Writes a text file.
  package func write(_ text: String, to name: String) { write(Array(text.utf8), to: name) }

  /// Reads a file; `nil` where there is none.
  package func read(_ name: String) -> [UInt8]? {
    let descriptor = open(path(of: name), O_RDONLY | O_CLOEXEC)
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
  package func text(_ name: String) -> String? {
    read(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the names in a directory in it, hidden ones too, in their order; none where
  /// there is no such directory.
  package func names(in name: String = ".") -> [String] {
    guard let stream = opendir(path(of: name)) else {
      precondition(errno == ENOENT || errno == ENOTDIR, "can't list \(path(of: name)): \(errno)")
      return []
    }
    defer { closedir(stream) }
    return Self.names(in: stream).sorted()
  }

  private static func names(in stream: OpaquePointer) -> [String] {
    var names: [String] = []
    while let entry = readdir(stream) {
      let text = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if text != ".", text != ".." { names.append(text) }
    }
    return names
  }
}
