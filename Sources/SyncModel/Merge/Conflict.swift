/// Two changes of one item that cannot be merged.
package struct Conflict: Equatable, Sendable {
  /// The kind of a conflict: what each side did.
  package enum Kind: String, CaseIterable, Sendable {
    /// Edited here and there.
    case modified = "MM"
    /// Added here and there under one id.
    case added = "AA"
    /// Edited here, deleted there.
    case deletedThere = "MD"
    /// Deleted here, edited there.
    case deletedHere = "DM"
    /// Added here, where there was no item before, under the id of a row that is deleted there.
    case addedHere = "AD"
  }

  /// What both began from; `nil` where there was nothing.
  package let base: Item?
  /// The client's item; `nil` where it was deleted.
  package let client: Item?
  /// The server's item; `nil` where it was deleted.
  package let server: Item?
  /// The fields, merged as far as they can be; `nil` where one side deleted the item.
  package let fields: FieldMerge?
  /// What the server's row held when it was deleted; `nil` where it wasn't, or that isn't told.
  package let last: Item?

  package init(
    base: Item?, client: Item?, server: Item?, fields: FieldMerge? = nil, last: Item? = nil
  ) {
    self.base = base
    self.client = client
    self.server = server
    self.fields = fields
    self.last = last
  }

  /// What each side did.
  package var kind: Kind {
    if client == nil { return .deletedHere }
    if server == nil { return base == nil ? .addedHere : .deletedThere }
    return base == nil ? .added : .modified
  }

  /// The client's item as it would bring back what the server has deleted; `nil` where the client
  /// deleted it.
  ///
  /// A field that only the server had changed before is as the server had it.
  package var revived: Item? {
    guard let client, let last else { return client }
    return FieldMerge(base: base, client: client, server: last, policy: MergePolicy(.client)).item()
  }

  /// The places in conflict, as texts of paths; none where one side deleted the item.
  package var names: [Text] { fields?.disputes.map(\.path.text) ?? [] }

  /// The places that a side changed; of a deleted row those that had been changed before.
  package var differences: [Difference] {
    if let fields { return fields.differences }
    let last = Item(
      JSONObject(
        Change(from: base, to: last).fields.compactMap { field in
          field.new.map { .init(name: field.name, value: $0) }
        }))
    let sides = (client ?? Item(JSONObject()), server ?? last)
    // Nothing in it is for a person to decide.
    return FieldMerge(base: base, client: sides.0, server: sides.1, policy: MergePolicy(.client))
      .differences
  }
}
