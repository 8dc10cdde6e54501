import SyncModel

extension Log {
  /// Opens a log and reads all its lines as objects, without `n`, `d` and `crc`.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage, another format; what `each` throws.
  convenience init(
    _ name: String, in directory: Directory, kind: LogKind, writing: Bool, trash: Trash,
    each: (JSONObject) throws(WorkspaceError) -> Void
  ) throws(WorkspaceError) {
    try self.init(opening: name, in: directory, kind: kind, writing: writing, trash: trash)
    let place = place
    try read { line throws(WorkspaceError) in
      guard let object = line.object else {
        throw WorkspaceError.damaged(
          place: place, line: nil, fact: "line \(line.number) is not a JSON object")
      }
      try each(object)
    }
  }

  /// Appends records; with `durably`, they and all before them survive a power loss.
  ///
  /// Before the first line that has to, what former processes wrote is made to: so the line says, by
  /// its `d`, that they are, and their destruction will show.
  ///
  /// - Throws: ``WorkspaceError``.
  func append(_ records: [JSONObject], durably: Bool) throws(WorkspaceError) {
    if durably, !isNew { try synchronize() }
    if !records.isEmpty { try append(records.map(LogLine.members)) }
    if durably { try synchronize() }
  }

  /// Replaces the file by one with these records, in one durable step; the count goes on.
  ///
  /// - Throws: ``WorkspaceError``: then the file is as it was.
  func rewrite(_ records: [JSONObject]) throws(WorkspaceError) {
    try create { writer throws(WorkspaceError) in
      for record in records { try writer.write(LogLine.members(record)) }
    }
  }
}

extension LogLine {
  /// The members as an object; `nil` where they are none.
  var object: JSONObject? {
    var text: [UInt8] = [UInt8(ascii: "{")]
    text.reserveCapacity(members.count + 2)
    text.append(contentsOf: members)
    text.append(UInt8(ascii: "}"))
    return (try? JSON(parsing: text))?.object
  }

  /// Returns an object's members as they stand in a line.
  static func members(_ object: JSONObject) -> [UInt8] {
    Array(JSON.object(object).encoded().dropFirst().dropLast())
  }
}
