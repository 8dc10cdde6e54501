/// The report of a merge.
package struct MergeReport: Equatable, Sendable {
  /// The fields that were merged, and where each came from.
  package var fields: [FieldMerge.Merged] = []
  /// Whether something of the client's lost, so that a copy of it must be kept.
  package var clientLost = false
  /// Whether something of the server's lost, so that a copy of it must be kept.
  package var serverLost = false
}
