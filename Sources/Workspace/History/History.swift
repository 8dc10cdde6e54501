package import SyncModel

/// What the commands of a workspace have changed and sent (tsync-log-format(5)).
///
/// The file `history.jsonl` has lines of at most ``History/lineLimit`` bytes, the first of a command with
/// its time and words, the others with its number, the last with its status:
///
/// ```
///   {"n":41,"d":0,"time":"…","command":"push","changes":[…],"crc":"…"}
///   {"n":42,"d":0,"of":41,"changes":[…],"status":0,"crc":"…"}
/// ```
///
/// Nothing depends on it but undoing, and finding what was deleted.
package enum History {
  /// What was done to an item's file, or to its row at the server.
  package enum Deed: String, Sendable {
    /// A file of an item was written that wasn't there, was replaced, or went.
    case added, changed, removed
    /// A conflict was resolved: the server's row, whose digest the change has, is the base in place of another one,
    /// from which the fields tell the way.
    case resolved
    /// A conflict was opened again.
    case reopened
    /// A row that was sent is at the server: a new one, another one, none, one that was deleted.
    case created, updated, deleted, undeleted
    /// A delete is about to be sent.
    case deleting
    /// A new item was sent whose row was there already, as it is here.
    case found = "already there"
  }

  /// One change of an item.
  package struct Change: Equatable, Sendable {
    /// Which item; under the id that the row has now.
    package var key: ItemKey
    /// What was done.
    package var did: Deed
    /// The fields that differ, each with its value before and after; none where the item is as its new
    /// row was, or where a text stands in the trash.
    package var fields: [SyncModel.Change.Field] = []
    /// The fields among them that were not as the row's before; of an added file all, but only where a command
    /// had removed the item.
    package var dirty: [Text] = []
    /// Where the old text is, below `.todosync`, if it doesn't stand in the fields.
    package var place: Text?
    /// The fingerprint of the item that was made, where the fields don't tell it.
    package var digest: Digest?

    package init(_ key: ItemKey, _ did: Deed, from old: Item? = nil, to new: Item? = nil) {
      (self.key, self.did) = (key, did)
      fields = SyncModel.Change(from: old, to: new).fields
    }

    /// The fields as they were before, or are after.
    package func item(after: Bool) -> Item {
      Item(
        JSONObject(
          fields.compactMap { field in
            (after ? field.new : field.old).map { .init(name: field.name, value: $0) }
          }))
    }

    /// Makes the change of an item that is now as its row.
    init(_ key: ItemKey, _ did: Deed, asRow item: Item) {
      (self.key, self.did) = (key, did)
      digest = Self.fingerprint(of: item)
    }

    /// Returns the fingerprint of an item, whatever the order of its fields.
    static func fingerprint(of item: Item) -> Digest {
      let members = item.fields.members.filter { !$0.value.isNull }.sorted { $0.name < $1.name }
      return Digest(of: JSON.object(JSONObject(members)).encoded())
    }

    /// Whether it has made an item as it is.
    package func made(_ item: Item) -> Bool {
      digest.map { $0 == Self.fingerprint(of: item) } ?? (item == self.item(after: true))
    }

    /// Whether a row of the server's was changed by what was sent.
    package var isSent: Bool {
      switch did {
      case .created, .updated, .deleted, .undeleted: true
      case .added, .changed, .removed, .resolved, .reopened, .deleting, .found: false
      }
    }
  }

  /// What one command has done.
  package struct Command: Equatable, Sendable {
    /// The number of its first line.
    package var number: Int
    /// When that was written.
    package var time: Timestamp
    /// Its name, and the words that say what it was about.
    package var words: Text
    /// What it ended with; `nil` where it was stopped.
    package var status: Int?
    /// The command that it takes back.
    package var undoes: Int?
    /// Its changes, in their order.
    package var changes: [Change] = []
    /// How many items the first pull of a table has added.
    package var first: [TableName: Int] = [:]
  }

  /// How many bytes a line has at most.
  static let lineLimit = 64 << 10
  /// How many bytes the fields of a change may have.
  static let changeLimit = 32 << 10
  /// From how many bytes on a command begins a new file.
  static let fileLimit = 32 << 20
  /// What the header of the file says it is.
  static let kind = LogKind("tsync-history", version: 2)
}
