import SyncModel

/// What a log is: the name that its header bears, and the format of it that this program reads and writes.
struct LogKind {
  let name: Text
  let version: Int

  init(_ name: Text, version: Int) {
    self.name = name
    self.version = version
  }
}
