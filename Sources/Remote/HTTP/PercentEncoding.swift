import SyncModel

extension Text {
  /// The text as the value of a query option: `$ ' ( ) , :` stay as they are, since some servers
  /// look for them before they decode; `+` and the blank are escaped.
  var queryEncoded: String {
    escaped { $0.isUnreserved || "$'(),:".utf8.contains($0) }
  }
}
