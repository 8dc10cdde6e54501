import SyncModel
import SystemPackage

/// Items in a file: one JSON object, an array of objects, or one object a line.
struct ItemImport {
  /// One object, and its place for messages.
  struct Object {
    let object: JSONObject
    let place: String
  }

  let objects: [Object]

  /// The largest input: 64 MiB.
  private static let limit = 64 << 20

  /// Reads a file; `-` is standard input.
  init(_ file: String, in context: Context) throws {
    let isInput = Text(file) == "-"
    let place = isInput ? "standard input" : file
    let bytes: [UInt8]
    do throws(Errno) {
      bytes =
        try isInput
        ? context.invocation.input.all(limit: Self.limit)
        : FileText.read(
          PathName.absolute(file, in: context.invocation.directory), limit: Self.limit)
    } catch {
      throw Failure.usage("\(place): \(error)")
    }
    guard bytes.count <= Self.limit else {
      throw Failure.usage("\(place) is larger than \(Self.limit >> 20) MiB")
    }
    objects = try Self.objects(in: bytes, place)
  }

  static func objects(in bytes: [UInt8], _ place: String) throws -> [Object] {
    let body = bytes[(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)...]
    let fault: JSONError
    do throws(JSONError) {
      return try objects(of: JSON(parsing: body), place)
    } catch {
      fault = error
    }
    // Not one document: maybe one object a line, unless the first line isn't one either.
    let lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var found: [Object] = []
    for (index, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      do throws(JSONError) {
        found += try objects(of: JSON(parsing: line), "\(place):\(index + 1)")
      } catch {
        let isFirst = found.isEmpty
        throw Failure.usage(
          isFirst
            ? "\(place):\(fault)" : "\(place):\(index + 1):\(error.column): \(error.message)")
      }
    }
    guard !found.isEmpty else { throw Failure.usage("\(place) contains no item") }
    return found
  }

  private static func objects(of json: JSON, _ place: String) throws(JSONError) -> [Object] {
    let elements = json.elements ?? [json]
    var objects: [Object] = []
    for (index, element) in elements.enumerated() {
      let place = json.elements == nil ? place : "\(place): element \(index + 1)"
      guard let object = element.object else {
        throw JSONError(at: 0, of: [], "expected an object")
      }
      objects.append(Object(object: object, place: place))
    }
    return objects
  }
}

extension ItemImport.Object {
  /// Returns the new item; a failure names the object's place.
  func draft(in table: TableName, _ context: Context) throws -> Draft {
    do throws(NameError) {
      if let name = object.duplicate { throw NameError("'\(name)' appears twice in the object") }
      switch object[Item.idField] {
      case nil, .null?:
        guard let id = try? ItemID.random(context.invocation.random) else {
          throw NameError("no id could be made")
        }
        return Draft(ItemKey(table, id), Item(object))
      case .string(let text)?:
        let key = ItemKey(table, try ItemID(text))
        guard FileName.of(key.id) != nil else {
          throw NameError("the id is too long for a file name")
        }
        return Draft(key, Item(object))
      default: throw NameError("the id is not a string")
      }
    } catch {
      throw Failure.usage("\(place): \(error)")
    }
  }
}
