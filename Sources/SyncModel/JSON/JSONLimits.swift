/// The limits of a JSON text.
package struct JSONLimits: Hashable, Sendable {
  /// How many arrays and objects may lie within one another.
  package var depth: Int
  /// How many members one object may have.
  package var members: Int
  /// How many bytes one string may have, unescaped.
  package var string: Int
  /// How many bytes one number may have.
  package var number: Int

  /// Makes limits.
  package init(depth: Int, members: Int, string: Int, number: Int) {
    self.depth = depth
    self.members = members
    self.string = string
    self.number = number
  }

  /// The limits of one item: 64 deep, 4,096 members, strings of 1 MiB, numbers of 1,024 bytes.
  package static let item = JSONLimits(
    depth: 64, members: 4_096, string: 1 << 20, number: 1_024)

  /// The limits of a document that holds many items: what the grammar allows, 512 deep.
  package static let document = JSONLimits(
    depth: 512, members: .max, string: .max, number: .max)
}
