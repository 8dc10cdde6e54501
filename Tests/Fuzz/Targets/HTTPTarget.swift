import HTTPTypes
import SyncEngine

@testable import Remote
@testable import SyncModel
@testable import TableServer

/// The header fields and bodies of a server's answers.
///
/// An input is an answer as it stands in a file: the status, a line a header field, an empty line,
/// the body.
enum HTTPTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    let answer = answer(bytes)
    try head(answer)
    try list(answer)
    try write(answer)
    try address(answer)
    try tag(Text(String(decoding: answer.body, as: UTF8.self)))
  }

  private static func answer(_ bytes: [UInt8]) -> HTTPAnswer {
    var rest = bytes[...]
    var lines: [ArraySlice<UInt8>] = []
    while let end = rest.firstIndex(of: 0x0A) {
      let line = rest[..<end]
      rest = rest[(end + 1)...]
      if line.isEmpty { break }
      lines.append(line)
    }
    let fields = lines.dropFirst().compactMap { line -> Remote.HTTPField? in
      let parts = line.split(
        separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      return Remote.HTTPField(
        String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    }
    let status = lines.first.flatMap { Int(String(decoding: $0.prefix(3), as: UTF8.self)) } ?? 200
    return HTTPAnswer(status: min(max(status, 200), 599), headers: fields, body: Array(rest))
  }

  /// Reads what the header says of times and pauses.
  private static func head(_ answer: HTTPAnswer) throws(Finding) {
    if let seconds = answer.retryAfter { try ensure(seconds >= 0, "a pause of \(seconds) s") }
    let policy = RetryPolicy()
    for made in 1...policy.attempts {
      let pause = policy.pause(after: made, waited: 0, wish: answer.retryAfter) { $0 }
      if let pause { try ensure((0...policy.total).contains(pause), "a pause of \(pause) ms") }
    }
    for field in answer.headers {
      guard let date = HTTPDate(Text(field.value)) else { continue }
      let moment = Moment(milliseconds: date.seconds * 1_000)
      let again = HTTPDate(Text(moment.httpDate))
      try ensure(again == date, "\(field.value) is \(moment.httpDate)")
      try ensure(Moment(http: moment.httpDate) == moment, "the server reads \(moment.httpDate)")
    }
  }

  // MARK: Lists

  /// Reads the body as a page, and follows a pull to its end.
  private static func list(_ answer: HTTPAnswer) throws(Finding) {
    for dialect in Dialect.allCases {
      let page = try? ListPage(answer, dialect)
      if let page { try pull(page) }
      try frame(answer.body, dialect)
    }
  }

  /// Makes sure that the rows of a list are found where they are.
  private static func frame(_ body: [UInt8], _ dialect: Dialect) throws(Finding) {
    let allowsArray = dialect.allowsArray
    let envelope = try? PageEnvelope(
      body, rowsMember: dialect.rowsMember, allowsArray: allowsArray)
    var end = 0
    for row in envelope?.rows ?? [] {
      try ensure(row.lowerBound >= end && !row.isEmpty, "rows lie in one another: \(shown(body))")
      end = row.upperBound
      let entry = ListEntry(body[row], in: dialect)
      if case .row(let row) = entry {
        try ensure(FileName.of(row.id) != nil, "a row without a file's name")
        try ensure(
          (try? JSON(parsing: row.text)).map { $0.duplicate == nil } ?? false, "a row's text")
        try ensure(!row.text.contains { $0 == 0x0A || $0 == 0x0D }, "a row of two lines")
      }
    }
    try ensure(end <= body.count, "a row behind the end")
    guard let value = try? JSON(parsing: body) else { return }
    guard let expected = rows(in: value, dialect, allowsArray) else { return }
    guard let envelope else {
      throw Finding(description: "no list for \(dialect): \(shown(body))")
    }
    let found = envelope.rows.map { try? JSON(parsing: body[$0]) }
    try ensure(found == expected, "other rows for \(dialect): \(shown(body))")
  }

  /// Returns the rows of a list that must be taken: its members are written without escapes, and
  /// none is there twice.
  private static func rows(in value: JSON, _ dialect: Dialect, _ allowsArray: Bool) -> [JSON]? {
    if allowsArray, let elements = value.elements { return elements }
    guard let object = value.object, object.duplicate == nil,
      object.members.allSatisfy({ $0.name.bytes.allSatisfy { (0x61...0x7A).contains($0) } })
    else { return nil }
    if let count = object["count"], !count.isNull, (count.integer ?? -1) < 0 { return nil }
    if let count = object["count"], case .number(let number) = count,
      !number.text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || number.text.utf8.count > 18
    {
      return nil
    }
    return object[Text(dialect.rowsMember)]?.elements
  }

  /// Gives the same page to a pull again and again: it must come to an end.
  private static func pull(_ page: ListPage) throws(Finding) {
    for inOrder in [false, true] {
      for start in [nil, page.entries.compactMap(\.time).min()] {
        var cursor = PullCursor(from: start, top: 2, overlap: 120, inOrder: inOrder)
        var requests = 0
        while cursor.range != nil {
          requests += 1
          try ensure(requests < 1_000, "a pull without an end")
          guard let range = cursor.range, (try? cursor.take(page)) != nil else { break }
          for dialect in Dialect.allCases {
            try filter(range, dialect)
          }
        }
        if let token = cursor.token {
          try ensure(token.timestamp != nil, "the token \(token.text) is no time")
        }
      }
    }
  }

  /// Makes sure that the condition of a request reads as one at the server.
  private static func filter(_ range: RowRange, _ dialect: Dialect) throws(Finding) {
    guard let filter = range.filter(dialect), filter.utf8.count <= ServedLimits.filter else {
      return
    }
    let escaped = Text(filter).queryEncoded
    let decoded = try? QueryString(Array("$filter=\(escaped)".utf8)).options.first?.value
    try ensure(decoded == Text(filter), "the server decodes \(escaped)")
    do throws(ODataError) {
      _ = try ODataFilter(Text(filter))
    } catch {
      throw Finding(description: "the server can't read \(filter): \(error)")
    }
  }

  // MARK: Writes

  /// Decides what the answer says of each kind of write.
  private static func write(_ answer: HTTPAnswer) throws(Finding) {
    guard let table = try? TableName("t"), let id = try? ItemID("a"),
      let token = try? Secret(Text(secret)), let address = try? ServerAddress("https://x.test")
    else { return }
    let key = ItemKey(table, id)
    let authorization = Authorization(token: token)
    for (kind, dialect) in Operation.Kind.allCases.flatMap({ kind in
      Dialect.allCases.map { (kind, $0) }
    }) {
      let flight = SendingWindow.Flight(
        attempt: Attempt(key: key, kind: kind, version: nil, item: nil, digest: nil),
        request: PreparedRequest(method: "POST", target: "tables/t", headers: [], body: nil))
      let verdict = WriteVerdict(answer, to: flight, in: dialect, authorization, from: address)
      guard case .settled(let reply) = verdict, case .done(let row) = reply.outcome else {
        continue
      }
      try ensure((200..<300).contains(answer.status), "done with \(answer.status)")
      // A new row may have an id of the server's, and no version then.
      let isRenamed = kind == .insert && row?.id != id
      try ensure(row == nil || row?.id == id || isRenamed, "done to another row")
      try ensure(row == nil || row?.version != nil || isRenamed, "done without a version")
      try ensure(kind == .delete || row?.deleted != true, "done to a tombstone")
    }
    let refusal = Refusal(answer, authorization)
    try ensure(refusal.words.bytes.count <= 64 << 10, "more words than are kept")
    try ensure(
      refusal.words.bytes.firstRange(of: Array(secret.utf8)) == nil, "the token is in the words")
    _ = Stop.moved(answer, from: address, "tables/t")
  }

  private static let secret = "s3cr3t-token"

  // MARK: Addresses and tags

  /// Makes sure that an address, once read, is read the same again, and has no user in it.
  private static func address(_ answer: HTTPAnswer) throws(Finding) {
    for field in answer.headers {
      guard let address = try? ServerAddress(Text(field.value)) else { continue }
      let again = try? ServerAddress(Text(address.description))
      try ensure(again == address, "\(field.value) is \(address)")
      let authority = address.description.utf8.split(separator: UInt8(ascii: "/")).dropFirst().first
      try ensure(authority?.contains(UInt8(ascii: "@")) == false, "a user in \(address)")
      try ensure((1...65_535).contains(address.origin.port), "a port in \(address)")
    }
    for field in answer.headers {
      guard let version = Version(entityTag: field.value) else { continue }
      try tag(version.text)
    }
  }

  /// Writes a version as an entity tag; it must come back, here and at the server.
  private static func tag(_ text: Text) throws(Finding) {
    guard let version = Version(text) else { return }
    let tag = version.entityTag
    try ensure(Version(entityTag: tag) == version, "\(tag) is not \(version)")
    // The server's own versions have no backslash.
    guard tag.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }), !text.bytes.contains(0x5C) else {
      return
    }
    let precondition = try? Precondition([.ifMatch: tag])
    try ensure(
      precondition?.match == .versions([Precondition.Tag(text)]), "the server reads \(tag)")
  }
}
