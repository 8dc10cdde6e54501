/// The merge of two changes of one item, field by field.
///
/// ```
///          base
///         /    \        a field that one side changed takes that side;
///     client  server    what both changed alike is no conflict;
///         \    /        objects are merged member by member, arrays are one value,
///         merged        texts of several lines by lines where they can be
/// ```
///
/// A rule for a field counts where both sides changed it. With `manual` for the whole table, nothing
/// is merged: each field that a side changed is in dispute.
package struct FieldMerge: Equatable, Sendable {
  /// The side that a field's value came from.
  package enum Source: String, Sendable {
    case client, server
    /// From both: members of an object, or lines of a text.
    case both
  }

  /// A field that at least one side changed, and the source of the merged value.
  package struct Merged: Equatable, Sendable {
    /// The field's name.
    package let name: Text
    /// Where its value came from.
    package let source: Source
    /// Whether the other side's change of it lost, by a rule of the policy.
    package var overrules = false
  }

  /// A field that both sides changed differently; `nil` means absent.
  package struct Disputed: Equatable, Sendable {
    /// The field's name.
    package let name: Text
    /// The three values.
    package let base, client, server: JSON?
  }

  /// The merged item; a disputed field has the client's value in it.
  package private(set) var item: Item
  /// The fields that were merged, in the client's order, then the server's.
  package private(set) var merged: [Merged] = []
  /// The fields that both changed differently.
  package private(set) var disputed: [Disputed] = []
  /// Whether a value of the client's lost by a rule of the policy.
  package private(set) var clientLost = false
  /// Whether a value of the server's lost by a rule of the policy.
  package private(set) var serverLost = false

  /// Merges; an item that both sides added has no fields in its base.
  package init(base: Item?, client: Item, server: Item, policy: MergePolicy = MergePolicy()) {
    item = client
    let values = (base: base?.values ?? [:], client: client.values, server: server.values)
    var names = client.fields.members.map(\.name)
    var seen = Set(names)
    for member in server.fields.members + (base?.fields.members ?? [])
    where seen.insert(member.name).inserted {
      names.append(member.name)
    }
    for name in names {
      merge(name, values.base[name], values.client[name], values.server[name], policy)
    }
  }

  private mutating func merge(
    _ name: Text, _ base: JSON?, _ client: JSON?, _ server: JSON?, _ policy: MergePolicy
  ) {
    if client == server { return }
    let rule = policy.rule(for: name)
    let haveBothChanged = server != base && client != base
    if rule == .manual, haveBothChanged || policy.rule == .manual {
      disputed.append(Disputed(name: name, base: base, client: client, server: server))
    } else if server == base {
      merged.append(Merged(name: name, source: .client))
    } else if client == base {
      item.fields[name] = server
      merged.append(Merged(name: name, source: .server))
    } else if let value = Self.combined(base, client, server) {
      item.fields[name] = value
      merged.append(Merged(name: name, source: .both))
    } else {
      switch rule {
      case .client:
        merged.append(Merged(name: name, source: .client, overrules: true))
        serverLost = true
      case .server:
        item.fields[name] = server
        merged.append(Merged(name: name, source: .server, overrules: true))
        clientLost = true
      case .fields, .manual:
        disputed.append(Disputed(name: name, base: base, client: client, server: server))
      }
    }
  }

  /// Merges within a value that both sides changed; `nil` where that can't be done.
  private static func combined(_ base: JSON?, _ client: JSON?, _ server: JSON?) -> JSON? {
    switch (base, client, server) {
    case (.string(let base)?, .string(let client)?, .string(let server)?):
      LineMerge(base: base, client: client, server: server).map { .string($0.text) }
    case (nil, .object(let client)?, .object(let server)?):
      combined(JSONObject(), client, server).map(JSON.object)
    case (.object(let base)?, .object(let client)?, .object(let server)?):
      combined(base, client, server).map(JSON.object)
    default: nil
    }
  }

  /// Merges objects member by member; here a member that is `null` is not an absent one.
  private static func combined(
    _ base: JSONObject, _ client: JSONObject, _ server: JSONObject
  ) -> JSONObject? {
    var result = JSONObject()
    let values = (base: base.byName(), client: client.byName(), server: server.byName())
    for member in client.members {
      let (old, theirs) = (values.base[member.name], values.server[member.name])
      if member.value == theirs || theirs == old {
        result.append(member.name, member.value)
      } else if member.value == old {
        if let theirs { result.append(member.name, theirs) }
      } else if let value = combined(old, member.value, theirs) {
        result.append(member.name, value)
      } else {
        return nil
      }
    }
    for member in server.members where values.client[member.name] == nil {
      let old = values.base[member.name]
      if old == nil {
        result.append(member.name, member.value)
      } else if old != member.value {
        return nil  // removed here, changed there
      }
    }
    return result
  }
}
