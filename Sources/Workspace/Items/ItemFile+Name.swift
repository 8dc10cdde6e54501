import SyncEngine
import SyncModel

extension ItemFile {
  /// What a name in a directory of items stands for.
  enum Name: Equatable {
    /// An item.
    case item(ItemID)
    /// Nothing of tsync's: hidden, or without the suffix of an item's file, as editors' droppings
    /// are.
    case ignored
    /// A file that is meant as an item, but not named as its id is.
    case invalid(InvalidItem)

    /// Reads a name.
    init(of bytes: some Collection<UInt8>, in table: TableName) {
      let suffix = FileName.suffix.bytes
      let stemLength = bytes.count - suffix.count
      guard stemLength > 0, bytes.first != UInt8(ascii: "."),
        bytes.dropFirst(stemLength).elementsEqual(suffix)
      else {
        self = .ignored
        return
      }
      let stem = Array(bytes.prefix(stemLength))
      do throws(NameError) {
        guard let text = Text(validating: stem) else {
          throw NameError("the file name is not UTF-8")
        }
        self = .item(try FileName.id(of: text))
      } catch {
        self = .invalid(Self.invalid(stem, in: table, error))
      }
    }

    private static func invalid(
      _ stem: [UInt8], in table: TableName, _ error: NameError
    ) -> InvalidItem {
      let name = String(decoding: stem, as: UTF8.self) + FileName.suffix.string
      var invalid = InvalidItem(
        place: "\(Layout.items)/\(table)/\(name)", message: error.description)
      if let canonical = spelledID(of: stem).flatMap(FileName.of),
        !Text(name).hasControlCharacter
      {
        invalid.way = .rename(to: "\(canonical)\(FileName.suffix)")
      }
      return invalid
    }

    /// Returns the id that a name without its suffix spells, or, where a `%` in it is no escape, is.
    static func spelledID(of stem: [UInt8]) -> ItemID? {
      Text(validating: stem.percentDecoded ?? stem).flatMap { try? ItemID($0) }
    }
  }
}
