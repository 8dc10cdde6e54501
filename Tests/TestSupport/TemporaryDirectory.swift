import Glibc

/// A fresh directory that goes with its owner, whatever lies in it by then.
package final class TemporaryDirectory: Sendable {
  /// Its absolute path.
  package let path: String
  private let isKept: Bool

  /// Makes the directory, readable by its owner only.
  ///
  /// In memory, where the system has a place for that, it is as fast as many runs need it.
  package init(inMemory: Bool = false) {
    Descriptors.raiseLimit()
    let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    path = "\(parent)/tsync-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    isKept = false
    precondition(mkdir(path, 0o700) == 0, "can't make \(path)")
  }

  /// Takes a directory that is another's, and goes with that.
  package init(at path: String) {
    self.path = path
    isKept = true
  }

  deinit { if !isKept { Files.remove(path) } }

  /// Returns the path of something in the directory.
  package func path(of name: String) -> String { "\(path)/\(name)" }

  /// Waits until a change of a directory is bound to show in its times.
  package static func awaitTick(of path: String) {
    var status = stat()
    var tick = timespec()
    guard stat(path, &status) == 0 else { return }
    repeat {
      clock_gettime(CLOCK_REALTIME_COARSE, &tick)
    } while (tick.tv_sec, tick.tv_nsec) <= (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
  }

  package func awaitTick(of name: String) { Self.awaitTick(of: path(of: name)) }

  /// Writes a file as a program does that knows nothing of tsync; directories above it are made.
  package func write(_ bytes: [UInt8], to name: String) {
    makeParents(of: name)
    Files.write(bytes, to: path(of: name))
  }

  /// Makes the directories above a file.
  package func makeParents(of name: String) {
    var parent = path
    for part in name.utf8.split(separator: UInt8(ascii: "/")).dropLast() {
      parent += "/" + String(Substring(part))
      mkdir(parent, 0o700)
    }
  }

  /// Writes a text file.
  package func write(_ text: String, to name: String) { write(Array(text.utf8), to: name) }

  /// Reads a file; `nil` where there is none.
  package func read(_ name: String) -> [UInt8]? { Files.read(path(of: name)) }

  /// Reads a text file; `nil` where there is none.
  package func text(_ name: String) -> String? { Files.text(path(of: name)) }

  /// Returns the names in a directory in it, hidden ones too, in their order; none where
  /// there is no such directory.
  package func names(in name: String = ".") -> [String] { Files.names(in: path(of: name)) }
}
