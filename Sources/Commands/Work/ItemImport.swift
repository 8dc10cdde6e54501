import SyncModel
import SystemPackage

/// Reads new items from a file: JSON objects, one after another, or an array of them.
///
/// A text that `new -e` has kept may have blocks.
enum ItemImport {
  /// The largest input: 64 MiB.
  private static let limit = 64 << 20

  /// Reads a file; `-` is standard input.
  static func drafts(from file: String, in context: Context) throws -> [Draft] {
    let isInput = Text(file) == "-"
    let place = isInput ? "standard input" : file
    let bytes: [UInt8]
    do throws(Errno) {
      bytes =
        try isInput
        ? context.invocation.input.all(limit: limit)
        : FileText.read(context.path(file), limit: limit)
    } catch {
      throw Problem.usage("\(place): \(error)")
    }
    guard bytes.count <= limit else {
      throw Problem.usage("\(place) is larger than \(limit >> 20) MiB")
    }
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    return try drafts(in: Array(bytes.dropFirst(hasMark ? 3 : 0)), place)
  }

  private static func drafts(in text: [UInt8], _ place: String) throws -> [Draft] {
    guard let first = text.first(where: { $0 > 0x20 }) else {
      throw Problem.usage("\(place) contains no item")
    }
    do {
      let text = try TextBlock.strings(in: text)
      guard first == UInt8(ascii: "[") else {
        return try ObjectText.all(in: text).map { try $0.parsed(Draft.init(parsing:)) }
      }
      let elements = try JSON(parsing: text).elements ?? []
      return try elements.enumerated().map { index, element in
        do throws(NameError) {
          return try Draft(element)
        } catch {
          throw Problem.usage("\(place): element \(index + 1): \(error)")
        }
      }
    } catch let error as JSONError {
      throw Problem.usage("\(place):\(error)")
    }
  }
}
