import SyncModel

/// What a log is: the name that its header bears, and the newest format of it that this program knows.
struct LogKind: ExpressibleByStringLiteral {
  let name: Text
  let version: Int

  init(_ name: Text, version: Int) {
    self.name = name
    self.version = version
  }

  /// A kind of which there is one format.
  init(stringLiteral name: String) { self.init(Text(name), version: 1) }
}
