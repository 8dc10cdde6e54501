package import SyncModel

extension StoredRow {
  /// Takes a row's columns and its text, which is held against them, byte by byte; or not, in a long list.
  ///
  /// - Throws: `StoreDamage` where a column holds what this server never writes, or another moment,
  ///   version or state than the text.
  package init(
    _ text: UnsafeBufferPointer<UInt8>, of id: ItemID, createdAt: Moment, updatedAt: Moment,
    version: String, isDeleted: Bool, isChecked: Bool = true
  ) throws {
    guard [createdAt, updatedAt].allSatisfy({ Moment.served.contains($0.milliseconds) }) else {
      throw StoreDamage(item: id.text, "it has a time that is not valid")
    }
    guard let version = Version(Text(version)), RowText.takes(version),
      let body = RowText.body(of: text, id, isDeleted: isDeleted)
    else {
      throw StoreDamage(
        item: id.text, "its version is not valid, or its text is that of another item")
    }
    self.init(
      id: id, createdAt: createdAt, updatedAt: updatedAt, version: version,
      isDeleted: isDeleted, body: body)
    guard !isChecked || RowText(self).bytes.elementsEqual(text) else {
      throw StoreDamage(item: id.text, "its columns and its text differ")
    }
  }
}
