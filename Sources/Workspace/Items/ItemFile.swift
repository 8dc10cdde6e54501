import Glibc
package import SyncEngine
package import SyncModel

/// The conversion between an item and the text of its file.
package enum ItemFile {
  /// The most bytes of a file: 4 MiB.
  ///
  /// So each row of 1 MiB fits, whose escapes become three times as long at most.
  package static let limit = 4 << 20
  /// The most bytes of a text that tsync indents, and of an item that a command makes: 1 MiB.
  package static let itemLimit = 1 << 20

  /// Reads the item that a text holds.
  ///
  /// One byte order mark is tolerated. System fields are left out, they are the server's. The place
  /// is the file's path, for the error.
  ///
  /// - Throws: What is wrong with it, and where.
  package static func item(
    in bytes: [UInt8], as key: ItemKey, place: String
  ) throws(InvalidItem) -> Item {
    let object: JSONObject
    do throws(JSONError) {
      object = try Self.object(in: bytes)
    } catch {
      let hasBlock = bytes.firstRange(of: TextBlock.mark) != nil
      throw InvalidItem(
        place: place, line: error.line, column: error.column, message: error.message,
        way: hasBlock ? .edit(key) : nil)
    }
    if let id = object[Item.idField], !id.isNull {
      guard id.text == key.id.text else { throw otherID(id, in: bytes, as: key, place: place) }
    } else if key.id.text.bytes.firstRange(of: Array(".sync-conflict-".utf8)) != nil {
      // Syncthing names copies so; an item of such an id says so itself.
      throw InvalidItem(place: place, message: "it is named like a copy, and contains no id")
    }
    return Item(object)
  }

  private static func object(in bytes: [UInt8]) throws(JSONError) -> JSONObject {
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw JSONError(at: 0, of: bytes, "the text is UTF-16; it must be UTF-8")
    }
    let json = try JSON(parsing: bytes.dropFirst(hasMark ? 3 : 0), limits: .item)
    guard let object = json.object, json.duplicate == nil else {
      // The places of such faults are only looked for when there are any.
      let edit = try JSONEdit(bytes, limits: .item)
      throw edit.duplicate ?? edit.error(at: Item.idField, "expected an object")
    }
    return object
  }

  private static func otherID(
    _ id: JSON, in bytes: [UInt8], as key: ItemKey, place: String
  ) -> InvalidItem {
    let fault = (try? JSONEdit(bytes, limits: .item))?.error(at: Item.idField, "")
    var invalid = InvalidItem(
      place: place, line: fault?.line, column: fault?.column, message: "the id is not a string")
    guard let text = id.text else { return invalid }
    invalid.message = "the id is '\(text)', but the file name says '\(key.id)'"
    invalid.otherID = try? ItemID(text)
    return invalid
  }

  /// Returns the text of a new file: two spaces a level, the id first, then the fields in their
  /// order; fields that are `null` are left out.
  ///
  /// A text that would be larger than 1 MiB is on one line.
  package static func text(of item: Item, id: ItemID) -> [UInt8] {
    let json = JSON.object(item.object(id: id, omittingNulls: true))
    let text = json.encoded(.indented()) + [0x0A]
    return text.count <= itemLimit ? text : json.encoded() + [0x0A]
  }

  /// Returns a file's text rewritten so that it means an item: only members that differ in meaning
  /// are touched.
  ///
  /// A text that would be too large becomes that of a new file.
  static func rewritten(_ bytes: [UInt8], as item: Item, id: ItemID) -> [UInt8] {
    let text = (try? JSONEdit(bytes, limits: .item))?.rewritten(as: item)
    return text.flatMap { $0.count <= limit ? $0 : nil } ?? Self.text(of: item, id: id)
  }

  /// Reads a file, whatever a person may have put in its place.
  ///
  /// - Returns: The state of the file, and its status when it was read; no status if it was not read.
  /// - Throws: ``WorkspaceError/file(place:_:)`` where the fault is not the file's.
  static func read(
    _ name: String, in directory: Directory, as key: ItemKey
  ) throws(WorkspaceError) -> (state: ClientState, status: stat?) {
    let reading = try FileReading(name, in: directory, limit: limit)
    return state(of: reading, as: key, place: directory.place(of: name))
  }

  /// Returns what a reading means.
  static func state(
    of reading: FileReading, as key: ItemKey, place: String
  ) -> (state: ClientState, status: stat?) {
    func invalid(_ message: String) -> (ClientState, stat?) {
      (.invalid(InvalidItem(place: place, message: message)), nil)
    }
    switch reading {
    case .absent: return (.absent, nil)
    case .tooLarge: return invalid("larger than \(limit >> 20) MiB")
    case .irregular: return invalid("not a regular file")
    case .unreadable(let error): return invalid("can't be read: \(error)")
    case .file(let bytes, let status):
      do throws(InvalidItem) {
        let item = try item(in: bytes, as: key, place: place)
        return (.item(item, Digest(of: bytes)), status)
      } catch {
        return (.invalid(error), status)
      }
    }
  }
}
