package import HTTPTypes
package import SyncModel

/// What a client asks of a row before anything is done with it: If-Match and its kin.
///
/// The rules are those of RFC 9110 §13; a tag may be written without quotes.
package struct Precondition: Hashable, Sendable {
  /// The versions that a header names.
  package enum Tags: Hashable, Sendable {
    /// `*`: any version.
    case any
    /// One of these; `isWeak` where it was written `W/"…"`.
    case versions([Tag])
  }

  /// One entity tag.
  package struct Tag: Hashable, Sendable {
    /// What stands in the quotes.
    package var text: Text
    /// Whether it was marked as weak.
    package var isWeak: Bool

    package init(_ text: Text, isWeak: Bool = false) {
      self.text = text
      self.isWeak = isWeak
    }
  }

  /// What a precondition says to a row.
  package enum Verdict: Hashable, Sendable {
    /// Go on.
    case holds
    /// The client has the row as it is; for reading.
    case notModified
    /// The row is another than the client means.
    case fails
  }

  /// `If-Match`.
  package var match: Tags?
  /// `If-None-Match`.
  package var noneMatch: Tags?
  /// `If-Modified-Since`.
  package var modifiedSince: Moment?
  /// `If-Unmodified-Since`.
  package var unmodifiedSince: Moment?

  /// Asks nothing.
  package init() {}

  /// Asks for one version.
  package init(match version: Version) {
    match = .versions([Tag(version.text)])
  }

  /// Reads the fields of a request; dates that can't be read don't count (RFC 9110 §13.1.3).
  ///
  /// - Throws: What is wrong with an entity tag.
  package init(_ fields: HTTPFields) throws(TableError) {
    match = try fields[.ifMatch].map(Self.tags)
    noneMatch = try fields[.ifNoneMatch].map(Self.tags)
    modifiedSince = fields[.ifModifiedSince].flatMap(Moment.init(http:))
    unmodifiedSince = fields[.ifUnmodifiedSince].flatMap(Moment.init(http:))
  }

  /// Whether a version is named that the row must have.
  var namesVersion: Bool { match != nil && match != .any }

  /// Decides for a row that is there, and that is only to be sent when `reading`.
  package func verdict(on row: StoredRow, reading: Bool) -> Verdict {
    if let match {
      if !Self.matches(match, row, weakly: false) { return .fails }
    } else if let unmodifiedSince, unmodifiedSince < row.updatedAt.wholeSecond {
      return .fails
    }
    if let noneMatch {
      if Self.matches(noneMatch, row, weakly: reading) { return reading ? .notModified : .fails }
    } else if let modifiedSince, modifiedSince >= row.updatedAt.wholeSecond {
      return reading ? .notModified : .fails
    }
    return .holds
  }

  private static func matches(_ tags: Tags, _ row: StoredRow, weakly: Bool) -> Bool {
    switch tags {
    case .any: true
    case .versions(let tags):
      tags.contains { $0.text == row.version.text && (weakly || !$0.isWeak) }
    }
  }
}

extension Precondition {
  /// Reads `"a"`, `W/"a"`, `"a", "b"`, `*`, and `a` without quotes.
  private static func tags(_ field: String) throws(TableError) -> Tags {
    var rest = field.utf8[...]
    var tags: [Tag] = []
    // Only without quotes it means any: `"*"` is a tag like others (RFC 9110 §13.1.1).
    var hasStar = false
    while true {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
      guard !rest.isEmpty else { break }
      let isWeak = rest.starts(with: "W/\"".utf8)
      if isWeak { rest = rest.dropFirst(2) }
      if rest.first == UInt8(ascii: "\"") {
        tags.append(Tag(try quoted(&rest), isWeak: isWeak))
      } else {
        let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
        let tag = Tag(Text(String(trimmed(rest[..<end]))))
        hasStar = hasStar || tag.text == "*"
        tags.append(tag)
        rest = rest[end...]
      }
    }
    guard !tags.isEmpty else { throw .badRequest("an entity tag is missing in If-Match") }
    if hasStar {
      guard tags.count == 1 else {
        throw .badRequest("'*' must be the only entity tag in If-Match")
      }
      return .any
    }
    return .versions(tags)
  }

  private static func quoted(_ rest: inout Substring.UTF8View) throws(TableError) -> Text {
    rest = rest.dropFirst()
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return Text(decoding: text)
      case UInt8(ascii: "\\"): if let escaped = rest.popFirst() { text.append(escaped) }
      default: text.append(byte)
      }
    }
    throw .badRequest("an entity tag has no closing quote")
  }

  private static func trimmed(_ text: Substring.UTF8View) -> Substring {
    var text = text
    while text.last == 0x20 || text.last == 0x09 { text = text.dropLast() }
    return Substring(text)
  }
}
