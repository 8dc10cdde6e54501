/// The report of a merge.
package struct MergeReport: Equatable, Sendable {
  /// The fields that were merged, and where each came from.
  package var fields: [FieldMerge.Merged]
  /// Whether something of the client's lost, so that a copy of it must be kept.
  package var clientLost: Bool
  /// Whether something of the server's lost, so that a copy of it must be kept.
  package var serverLost: Bool

  /// Makes a report.
  package init(
    fields: [FieldMerge.Merged] = [], clientLost: Bool = false, serverLost: Bool = false
  ) {
    self.fields = fields
    self.clientLost = clientLost
    self.serverLost = serverLost
  }
}
