import Glibc
import TestSupport

/// The files below a directory, with their bytes; directories are files that hold nothing.
struct Tree {
  /// The bytes by path; `nil` for a directory.
  private(set) var files: [String: [UInt8]?] = [:]

  /// Reads what lies below a directory.
  init(at path: String) { read(path, "") }

  private mutating func read(_ path: String, _ name: String) {
    guard let stream = opendir(path) else {
      precondition(errno == ENOENT, "can't list \(path): \(errno)")
      return
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let text = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard text != ".", text != ".." else { continue }
      if entry.pointee.d_type == UInt8(DT_DIR) {
        files["\(name)\(text)"] = .some(nil)
        read("\(path)/\(text)", "\(name)\(text)/")
      } else {
        files["\(name)\(text)"] = Files.read("\(path)/\(text)") ?? []
      }
    }
  }

  /// Makes a directory hold these files and no others; those that are the same aren't touched.
  func restore(at path: String) {
    let present = Tree(at: path)
    for name in present.files.keys.sorted(by: >) where files[name] == nil {
      remove("\(path)/\(name)")
    }
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) where present.files[name] != bytes {
      guard let bytes else {
        mkdir("\(path)/\(name)", 0o700)
        continue
      }
      Files.write(bytes, to: "\(path)/\(name)")
    }
  }

  /// The names of the files that differ from another tree's; but for the index, which is a cache.
  func differences(to other: Tree) -> [String] {
    Set(files.keys).union(other.files.keys).filter { name in
      name != ".todosync/index" && files[name] != other.files[name]
    }.sorted()
  }
}
