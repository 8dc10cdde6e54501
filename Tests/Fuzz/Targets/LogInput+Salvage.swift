@testable import SyncModel
@testable import Workspace

extension LogInput {
  /// Makes sure that the doctor saves lines of a damaged file that were written, in their order, and
  /// all of a whole one.
  func salvage(_ kind: LogKind) throws(Finding) {
    let found = LogSalvage(file, kind: kind).objects.map(LogLine.members)
    let written = lines.compactMap(Self.object).map(LogLine.members)
    if isWhole { try ensure(found == written, "not all of a whole file's lines were saved") }
    guard !lines.isEmpty else { return }
    var rest = written[...]
    for line in found {
      guard let place = rest.firstIndex(of: line) else {
        throw Finding(description: "saved, but never written: \(shown(line))")
      }
      rest = rest[(place + 1)...]
    }
  }

  /// Returns a line's members but those that every line has.
  private static func object(_ line: [UInt8]) -> JSONObject? {
    let text = [UInt8(ascii: "{")] + line + [UInt8(ascii: "}")]
    guard let object = (try? JSON(parsing: text))?.object else { return nil }
    return JSONObject(object.members.filter { !["n", "d", "crc"].contains($0.name) })
  }
}
