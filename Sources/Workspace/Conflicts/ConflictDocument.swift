package import SyncModel

/// The document that an editor opens for a conflict.
package struct ConflictDocument: Sendable {
  /// Whose conflict it is.
  package let key: ItemKey
  /// The name of its file, in the directory of the table's conflicts.
  let name: String
  /// What was in it when it was handed out.
  package let text: [UInt8]
  /// Where in the trash the one is that began from another text; `nil` where there was none.
  package let displaced: String?
}
