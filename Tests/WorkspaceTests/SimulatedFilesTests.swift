import Glibc
import Simulation
import TestSupport
import Testing

/// The file system in memory does with directories what the real one does.
@Suite struct SimulatedFilesTests {
  /// What a name is given to, what has the name, and the error.
  static let renames: [(node: String, there: String, error: Int32)] = [
    ("full", "nothing", 0), ("full", "empty", 0), ("full", "full too", ENOTEMPTY),
    ("full", "file", ENOTDIR), ("file", "empty", EISDIR), ("file", "other file", 0),
  ]

  /// What is removed, how, and the error.
  static let removals: [(name: String, flags: Int32, error: Int32)] = [
    ("file", 0, 0), ("file", AT_REMOVEDIR, ENOTDIR), ("empty", 0, EISDIR),
    ("empty", AT_REMOVEDIR, 0), ("full", AT_REMOVEDIR, ENOTEMPTY), ("nothing", 0, ENOENT),
  ]

  @Test(
    "a rename puts a directory in the place of an empty one, and of nothing else",
    arguments: [true, false])
  func renames(isSimulated: Bool) throws {
    for (node, there, error) in Self.renames {
      try made(isSimulated) { directory, path in
        let result = renameat(directory, node, directory, there)
        #expect((result == 0 ? 0 : errno) == error, "\(node) to \(there)")
        guard error == 0, node == "full" else { return }
        #expect(Files.names(in: "\(path)/\(there)") == ["a"])
        #expect(!Files.names(in: path).contains(node))
      }
    }
  }

  @Test("what is no directory, or isn't empty, isn't removed as one", arguments: [true, false])
  func removals(isSimulated: Bool) throws {
    for (name, flags, error) in Self.removals {
      try made(isSimulated) { directory, _ in
        let result = unlinkat(directory, name, flags)
        #expect((result == 0 ? 0 : errno) == error, "\(name)")
      }
    }
  }

  /// Lets a body act where there are directories and files: it is given the directory, open, and its path.
  private func made(_ isSimulated: Bool, _ act: (Int32, String) throws -> Void) throws {
    func run(_ path: String) throws {
      for name in ["empty", "full", "full too"] { mkdir("\(path)/\(name)", 0o700) }
      for name in ["file", "other file", "full/a", "full too/b"] {
        close(open("\(path)/\(name)", O_WRONLY | O_CREAT | O_EXCL, 0o600))
      }
      let directory = open(path, O_RDONLY | O_DIRECTORY)
      defer { close(directory) }
      try act(directory, path)
    }
    if isSimulated { return try SimulatedFiles().mounted { try run("/sim") } }
    let directory = TemporaryDirectory()
    try run(directory.path)
  }
}
