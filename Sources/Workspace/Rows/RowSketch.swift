/// A row's id and whether it is a tombstone, found without reading the rest.
struct RowSketch {
  /// The id's bytes, in the text that was given.
  let id: UnsafeRawBufferPointer
  /// Whether the row is a tombstone.
  let isTombstone: Bool

  /// Looks through a row's text; `nil` where only a parser can tell.
  init?(_ text: UnsafeRawBufferPointer) {
    guard text.count > 2, text.first == UInt8(ascii: "{"), text.last == UInt8(ascii: "}") else {
      return nil
    }
    var object = ObjectSketch(
      members: UnsafeRawBufferPointer(rebasing: text[1..<text.count - 1]))
    var (id, isTombstone) = (UnsafeRawBufferPointer?.none, false)
    while let name = object.name() {
      let value = object.value()
      if name.elementsEqual("id".utf8) {
        guard let text = ObjectSketch.plainText(value) else { return nil }
        id = text
      } else if name.elementsEqual("deleted".utf8) {
        isTombstone = value.first == UInt8(ascii: "t")
      }
    }
    guard object.isWhole, let id, !id.isEmpty else { return nil }
    (self.id, self.isTombstone) = (id, isTombstone)
  }
}
