import SyncEngine
import SyncModel
import Workspace

extension Survey.Entry {
  /// The place of an invalid file, or of the file that the item was moved to.
  var place: String? {
    switch standing {
    case .invalid(let invalid): invalid.place
    case .moved(let place): place
    default: nil
    }
  }
}

extension StatusReport.Entry {
  /// Returns the text behind the title; `clock` formats seconds since 1970, `text` a hint.
  func remark(_ clock: (Int64) -> String, _ text: (Hint) -> String) -> String {
    switch entry.standing {
    case .conflict, .pending: return status.fields.map(\.string).joined(separator: ", ")
    case .waiting(_, let successor): return "waits for \(successor.id)"
    case .rejected(_, let rejection):
      let tries = rejection.tries == 1 ? "1 try" : "\(rejection.tries) tries"
      return "\(rejection.sentence) · \(tries), last \(clock(rejection.time))"
    case .unknown(let intent): return intent.kind.rawValue
    case .invalid(let invalid):
      return invalid.sentence + (invalid.hint.map { " · \(text($0))" } ?? "")
    case .moved(let place): return "renamed to \(place)"
    }
  }

  /// Whether it is an insert of unknown outcome into a table for which the server makes ids.
  func isDoubtful(_ state: WorkspaceState) -> Bool {
    guard case .unknown(let intent) = entry.standing, intent.kind == .insert else { return false }
    return state.tables[intent.key.table]?.makesIDs == true
  }

  /// Table and id as in file names, without blanks; the name of a file that has no id.
  var plainKey: String {
    guard let key = entry.key else {
      let parts = (entry.place ?? "").utf8.split(separator: UInt8(ascii: "/")).suffix(2)
        .map { Text(String(Substring($0))) }
      return parts.map(PlainText.of).joined(separator: "/")
    }
    return "\(key.table)/\(FileName.of(key.id)?.string ?? PlainText.of(key.id.text))"
  }

  var json: JSONObject {
    var object = JSONObject()
    let table =
      entry.key?.table.text
      ?? entry.place.map { Text(PathName.split(PathName.split($0).directory).name) }
    object.add([
      "table": table, "id": entry.key?.id, "title": title, "here": status.here,
      "there": status.there, "state": status.group.rawValue, "fields": status.fields,
    ])
    switch entry.standing {
    case .invalid(let invalid):
      object.add(["path": invalid.place])
      object.add(ifAny: ["line": invalid.line, "column": invalid.column])
      object.add(["message": invalid.message])
    case .moved(let place): object.add(["path": place, "message": "moved"])
    case .rejected(_, let rejection):
      object.add([
        "answer": rejection.refusal.status, "message": rejection.refusal.words,
        "tries": rejection.tries, "last": Timestamp.text(ofSecond: rejection.time),
      ])
    case .unknown(let intent): object.add(["tries": intent.attempt])
    case .waiting(_, let successor): object.add(["successor": successor.id])
    case .conflict, .pending: break
    }
    return object
  }
}

/// Names for lines that programs split at blanks.
enum PlainText {
  /// Writes every byte outside `[A-Za-z0-9_.-]` as `%XX`, as in file names.
  static func of(_ text: Text) -> String {
    var result: [UInt8] = []
    for byte in text.string.utf8 {
      if isPlain(byte) {
        result.append(byte)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%\(digits.utf8.count < 2 ? "0" : "")\(digits)".utf8
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  static func isPlain(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || "_.-".utf8.contains(byte)
  }
}

extension Timestamp {
  /// The instant in UTC to the second, as in JSON output: `2026-11-21T10:15:00Z`.
  var inSeconds: String {
    let seconds = ticks / Self.perSecond * Self.perSecond
    let text = Timestamp(ticks: seconds).text.bytes
    return String(
      decoding: text.prefix { $0 != UInt8(ascii: ".") } + [UInt8(ascii: "Z")], as: UTF8.self)
  }

  /// Formats seconds since 1970 like ``inSeconds``.
  static func text(ofSecond second: Int64) -> String {
    Timestamp(ticks: second * Self.perSecond).inSeconds
  }
}
