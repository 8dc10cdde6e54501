import SyncEngine
import SyncModel

/// What an answer to a write means.
///
/// Only what is wholly as it should be counts as done: the right status, a row, its id ours to the byte
/// but for an insert, a version. Another success is no answer of the server's, as if the connection had
/// been cut.
enum WriteVerdict: Equatable {
  /// It is known what became of the write, or that it can't be known from here.
  case settled(Reply)
  /// The server wants to know who asks, and did nothing.
  case renew(Refusal)
  /// The server wants it later, after so many seconds where it says.
  ///
  /// - `mayBeDone`: whether it might have done it nevertheless.
  case wait(Refusal, seconds: Int?, mayBeDone: Bool)
  /// It is so as long as the table's lists answer; else it is said of them all, and the server did nothing.
  case whileListed(Refusal)

  /// Decides for an answer of a server; the tokens of the authorization are taken out of its words.
  init(
    _ answer: HTTPAnswer, to flight: SendingWindow.Flight, in dialect: Dialect,
    _ authorization: Authorization, from address: ServerAddress
  ) {
    var moved: Stop { .moved(answer, from: address, flight.request.target) }
    var refusal: Refusal { Refusal(answer, authorization) }
    var passing: Refusal { Refusal(answer, authorization, passes: true) }
    switch AnswerMeaning(answer) {
    case .done: self = .settled(Reply(Self.success(answer, of: flight, in: dialect)))
    case .moved(let isUndone):
      self = .settled(Reply(isUndone ? .notSent : .unknown(nil), stop: moved))
    case .unauthorized: self = .renew(refusal)
    case .forbidden: self = .whileListed(refusal)
    case .closed: self = .settled(Reply(.notSent, stop: .unauthorized(refusal)))
    case .unrouted:
      let words: Text = "the server's web front refuses this id"
      self = .whileListed(Refusal(status: answer.status, words: words, passes: true))
    case .absent: self = .settled(Reply(.absent(refusal)))
    case .conflict: self = .settled(Reply(.disputed(refusal)))
    case .refused: self = .settled(Reply(.refused(refusal)))
    case .network:
      self = .settled(Reply(.notSent, stop: .network(answer.status, refusal.words)))
    case .busy(let mayBeDone):
      self = .wait(passing, seconds: answer.retryAfter, mayBeDone: mayBeDone)
    case .passing: self = .settled(Reply(.refused(passing)))
    case .failed: self = .settled(Reply(.disputed(passing)))
    case .uncertain, .misdirected: self = .settled(Reply(.unknown(passing)))
    }
  }

  private static func success(
    _ answer: HTTPAnswer, of flight: SendingWindow.Flight, in dialect: Dialect
  ) -> Reply.Outcome {
    let attempt = flight.attempt
    let row = row(in: answer, to: flight, dialect)
    return switch (attempt.kind, answer.status) {
    case (.delete, 204): .done(nil)
    case (.delete, 200): deletion(answer, row, of: attempt)
    case (.insert, _): inserted(answer, row, as: attempt.key.id)
    case (.undelete, 200), (.undelete, 201), (.update, 200): written(row, of: attempt)
    default: .cut(timedOut: false)
    }
  }

  /// An answer with a row, and "created" without one, say that a row was made, under whatever id.
  private static func inserted(
    _ answer: HTTPAnswer, _ row: Row?, as id: ItemID
  ) -> Reply.Outcome {
    if let row, !row.deleted { return .done(row.id == id && row.version == nil ? nil : row) }
    if let object = answer.object, object[Item.idField] != nil { return .done(nil) }
    let start = answer.body.first { !$0.isBlank }
    let isCutOff =
      start.map { "{[\"".utf8.contains($0) } == true && (try? JSON(parsing: answer.body)) == nil
    let isMade =
      answer.status == 201 && !answer.isMarkup && !isCutOff
      && (!answer.body.isEmpty || answer.isSaidToBeEmpty)
    return isMade ? .done(nil) : .cut(timedOut: false)
  }

  private static func deletion(
    _ answer: HTTPAnswer, _ row: Row?, of attempt: Attempt
  ) -> Reply.Outcome {
    guard !answer.isMarkup else { return .cut(timedOut: false) }
    // An answer that was cut off after its status line is empty, too.
    if answer.body.isEmpty { return answer.isSaidToBeEmpty ? .done(nil) : .cut(timedOut: false) }
    guard let object = answer.object, object[Item.idField]?.text == attempt.key.id.text else {
      return .cut(timedOut: false)
    }
    // A hard delete tells the row as it was, which is not the row as it is.
    guard let row, row.deleted, row.version != nil else { return .done(nil) }
    return .done(row)
  }

  private static func written(_ row: Row?, of attempt: Attempt) -> Reply.Outcome {
    guard let row, row.id == attempt.key.id, !row.deleted else { return .cut(timedOut: false) }
    return .done(row.version == nil ? nil : row)
  }

  /// Returns the row that an answer tells, its version from the entity tag where the body has none.
  ///
  /// What echoes an item is laid over the item as it was sent: alone it has but the fields that
  /// were.
  private static func row(
    in answer: HTTPAnswer, to flight: SendingWindow.Flight, _ dialect: Dialect
  ) -> Row? {
    let attempt = flight.attempt
    guard let row = try? Row(received: answer.body[...], in: dialect) else {
      return nil
    }
    let isEcho = dialect.answer == .echo
    guard isEcho || row.version == nil else { return row }
    var (item, version) = (row.item, row.version)
    if version == nil { version = answer.header("ETag").flatMap(Version.init(entityTag:)) }
    if isEcho, attempt.kind == .undelete {
      // Which fields have come back it doesn't say: the row is read.
      version = nil
    } else if isEcho, let sent = attempt.item {
      item = sent
      // What was sent and doesn't come back, the server has dropped.
      let body = flight.request.body.flatMap { try? JSON(parsing: $0) }?.object
      for member in body?.members ?? [] { item.fields[member.name] = nil }
      for member in row.item.fields.members { item.fields[member.name] = member.value }
    }
    return Row(
      id: row.id, item: item, version: version, updatedAt: row.updatedAt,
      createdAt: row.createdAt, deleted: row.deleted)
  }
}
