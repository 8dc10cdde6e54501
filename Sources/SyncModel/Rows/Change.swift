/// The differences between two items, field by field.
package struct Change: Equatable, Sendable {
  /// One field and its two values; `nil` means absent or `null`.
  package struct Field: Equatable, Sendable {
    /// The field's name.
    package let name: Text
    /// The value before.
    package let old: JSON?
    /// The value after.
    package let new: JSON?

    package init(name: Text, old: JSON?, new: JSON?) {
      (self.name, self.old, self.new) = (name, old, new)
    }
  }

  /// The fields that differ: first those of `new` in its order, then those that are gone.
  package let fields: [Field]

  /// Compares two items; a missing item has no fields.
  package init(from old: Item?, to new: Item?) {
    if let old, let new,
      old.fields.members.elementsEqual(new.fields.members, by: { $0.name == $1.name })
    {
      // Most edits leave the names and their order: nothing needs to be looked up.
      let fields = zip(old.fields.members, new.fields.members).filter { $0.value != $1.value }
        .map { one, other in
          Field(
            name: one.name, old: one.value.isNull ? nil : one.value,
            new: other.value.isNull ? nil : other.value)
        }
      self.fields = fields.filter { $0.new != nil } + fields.filter { $0.new == nil }
      return
    }
    let before = old?.values ?? [:]
    let after = new?.values ?? [:]
    let changed = (new?.fields.members ?? []).compactMap { member -> Field? in
      guard let value = after[member.name], before[member.name] != value else { return nil }
      return Field(name: member.name, old: before[member.name], new: value)
    }
    let gone = (old?.fields.members ?? []).compactMap { member -> Field? in
      guard let value = before[member.name], after[member.name] == nil else { return nil }
      return Field(name: member.name, old: value, new: nil)
    }
    fields = changed + gone
  }

  /// The names of the fields that differ.
  package var names: [Text] { fields.map(\.name) }

  /// Whether nothing differs.
  package var isEmpty: Bool { fields.isEmpty }
}
