import Glibc

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
      files[path] = File(bytes: Self.bytes(at: place), mode: status.st_mode & 0o7777)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return }
    directories[path] = status.st_mode & 0o7777
    for name in Self.names(at: place) { add(path.isEmpty ? name : "\(path)/\(name)", below: root) }
  }

  /// Returns the names in a directory.
  static func names(at place: String) -> [String] {
    let opened = opendir(place)
    precondition(opened != nil || ![EMFILE, ENFILE].contains(errno), "too many files are open")
    guard let stream = opened else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Returns a file's bytes; none where it can't be read.
  static func bytes(at place: String) -> [UInt8] {
    let descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    // What this process has no room for is not gone.
    precondition(descriptor >= 0 || ![EMFILE, ENFILE].contains(errno), "too many files are open")
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// Writes the tree to a path at which nothing else is left.
  func write(to root: String) {
    Self.remove(root)
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

  /// Removes a file, or a directory with all that is in it.
  static func remove(_ place: String) {
    guard Glibc.remove(place) != 0, errno != ENOENT else { return }
    for name in names(at: place) { remove("\(place)/\(name)") }
    Glibc.remove(place)
  }
}
