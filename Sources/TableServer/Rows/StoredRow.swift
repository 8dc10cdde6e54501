package import SyncModel

/// A row as a store keeps it: the system columns, and the rest as one JSON text.
package struct StoredRow: Hashable, Sendable {
  /// The id.
  package var id: ItemID
  /// When the row was made.
  package var createdAt: Moment
  /// When the row was last written; no two rows of a table share it.
  package var updatedAt: Moment
  /// The version, new with every write.
  package var version: Version
  /// Whether the row is a tombstone.
  package var isDeleted: Bool
  /// A compact JSON object of the members that are no system columns, as the clients sent them.
  package var body: Text

  package init(
    id: ItemID, createdAt: Moment, updatedAt: Moment, version: Version, isDeleted: Bool,
    body: Text
  ) {
    self.id = id
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.version = version
    self.isDeleted = isDeleted
    self.body = body
  }

  /// The members of the body.
  ///
  /// - Throws: `StoreDamage` where the stored text is no JSON.
  package func members() throws(StoreDamage) -> JSONObject {
    do throws(JSONError) {
      return try JSON(parsing: body.bytes, limits: .document).object ?? JSONObject()
    } catch {
      throw StoreDamage(item: id.text, "its text is not JSON: \(error)")
    }
  }

  /// The row's entity tag: its version in quotes.
  package var entityTag: String { "\"\(version)\"" }
}

/// What a write makes of a row: when, and its new version.
package struct Stamp: Hashable, Sendable {
  /// The row's `updatedAt`: later than every other in the table.
  package var moment: Moment
  /// How many writes the table has seen, this one included.
  package var count: Int64
  /// A number by chance, of this write alone.
  package var salt: UInt32

  package init(moment: Moment, count: Int64, salt: UInt32 = 0) {
    self.moment = moment
    self.count = count
    self.salt = salt
  }

  /// The stamp before the first write.
  package static let first = Stamp(moment: Moment(milliseconds: 0), count: 0)

  /// Reads a stamp that a store has kept, in milliseconds since 1970; `nil` where it can't be one.
  package init?(moment: Int64, count: Int64) {
    guard Moment.served.contains(moment), (0..<Int64.max).contains(count) else { return nil }
    self.init(moment: Moment(milliseconds: moment), count: count)
  }

  /// Returns a salt.
  package static func chance() -> UInt32 { .random(in: .min ... .max) }

  /// Returns the stamp of the next write: the clock's time, but always later than this one.
  package func next(at now: Moment, salt: UInt32) -> Stamp {
    Stamp(moment: max(now, moment.next), count: count + 1, salt: salt)
  }

  /// The version that a row gets, 8 bytes in base64: `xq3sVAAAB9E=`.
  ///
  /// The lower four are the count's: no two writes of a table have the same. A store that was put
  /// back from a copy counts again what it had counted before; the salt in the upper four tells
  /// those writes apart.
  package var version: Version {
    let bits = UInt64(bitPattern: count) ^ UInt64(salt) << 32
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
    guard let version = Version(Text(Base64.text(of: bytes))) else {
      preconditionFailure("12 characters of base64 are always a version")
    }
    return version
  }
}
