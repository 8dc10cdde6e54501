import Glibc
import TestSupport

/// A directory with all that is in it, in memory.
struct FileTree: Hashable, Sendable {
  /// A regular file.
  struct File: Hashable, Sendable {
    var bytes: [UInt8]
    var mode: mode_t
  }

  /// The directories' permissions by their paths, each after the one it lies in; the root is empty.
  var directories: [String: mode_t] = [:]
  /// The files by their paths.
  var files: [String: File] = [:]

  /// Makes an empty tree.
  init() {}

  /// Reads a directory; what is neither file nor directory is left out.
  init(at root: String) {
    add("", below: root)
  }

  private mutating func add(_ path: String, below root: String) {
    let place = path.isEmpty ? root : "\(root)/\(path)"
    var status = stat()
    guard lstat(place, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFREG {
      files[path] = File(bytes: Files.read(place) ?? [], mode: status.st_mode & 0o7777)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return }
    directories[path] = status.st_mode & 0o7777
    for name in Files.names(in: place) { add(path.isEmpty ? name : "\(path)/\(name)", below: root) }
  }

  /// Writes the tree to a path at which nothing else is left.
  func write(to root: String) {
    Files.remove(root)
    for (path, mode) in directories.sorted(by: { $0.key < $1.key }) {
      let place = path.isEmpty ? root : "\(root)/\(path)"
      precondition(mkdir(place, 0o700) == 0, "can't make \(place)")
      if mode != 0o700 { chmod(place, mode) }
    }
    for (path, file) in files {
      let place = "\(root)/\(path)"
      let descriptor = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.mode)
      precondition(descriptor >= 0, "can't write \(place)")
      precondition(
        Glibc.write(descriptor, file.bytes, file.bytes.count) == file.bytes.count,
        "can't write \(place)")
      close(descriptor)
    }
  }
}
