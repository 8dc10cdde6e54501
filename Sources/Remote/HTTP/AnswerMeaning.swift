/// What the status of an answer says: the one table of it, for writes and for readings.
///
/// Only what says something of the row can reject a change. What passes says nothing of it: another time the
/// answer may be another one, whatever the row.
enum AnswerMeaning: Equatable {
  /// What was asked for was done.
  case done
  /// What is asked for has another address; unless `isUndone`, a write may have been done all the same.
  case moved(isUndone: Bool)
  /// The server wants to know who asks.
  case unauthorized
  /// Whoever asks may not do it: with this row, or with any.
  case forbidden
  /// The whole site forbids it, by a page for people.
  case closed
  /// There is no such row, or no such table.
  case absent
  /// There is no such address, as the front of the server says by a page for people.
  case unrouted
  /// The row is not as the write expects.
  case conflict
  /// The row can't be written like this.
  case refused
  /// Something between here and the server wants to know who asks.
  case network
  /// Another server was meant.
  case misdirected
  /// It passes, and a pause is asked for; a write may have been done where it says so.
  case busy(mayBeDone: Bool)
  /// It passes, and nothing was done.
  case passing
  /// It passes, and nothing was done unless an earlier try was.
  case failed
  /// It passes, and a write may have been done.
  case uncertain

  /// Looks at an answer (RFC 9110 §15, RFC 6585).
  init(_ answer: HTTPAnswer) {
    self =
      switch answer.status {
      case 200..<300: .done
      case 301, 302, 307, 308: .moved(isUndone: true)
      case 300..<400: .moved(isUndone: false)
      case 401: .unauthorized
      case 403: answer.isMarkup ? .closed : .forbidden
      case 404 where answer.isMarkup: .unrouted
      case 404, 410: .absent
      case 409, 412: .conflict
      case 400, 405, 413, 414, 415, 422, 428, 431, 501: .refused
      case 407, 511: .network
      case 421: .misdirected
      case 429, 503: .busy(mayBeDone: answer.status == 503)
      case 500: .failed
      case 408, 425, 502...: .uncertain
      default: .passing
      }
  }
}
