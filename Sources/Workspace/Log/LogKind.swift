import SyncModel

/// What a log is: the name that its header bears, and the newest format of it that this program knows.
struct LogKind {
  let name: Text
  let version: Int

  init(_ name: Text, version: Int) {
    self.name = name
    self.version = version
  }
}
