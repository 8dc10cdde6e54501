import SyncModel

extension JSON {
  /// Parses a text that a test wrote down.
  init(text: String) throws {
    try self.init(parsing: Array(text.utf8))
  }
}

extension Item {
  /// Reads the fields of an item from an object's text.
  init(text: String) throws {
    self.init(try JSON(text: text).object ?? JSONObject())
  }
}
