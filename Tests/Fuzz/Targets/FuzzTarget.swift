/// A part of the program that reads what others wrote, with what must be true of every input.
///
/// Each has a program that a fuzzer drives, and a directory of inputs that the tests replay.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// The parser and the writer of JSON.
  case json
  /// The reading and rewriting of an item's file.
  case itemFile = "item-file"
  /// A table's journal.
  case journal
  /// Ids and the names of their files.
  case fileName = "file-name"
  /// The filters of the server, as SQL, and those of the client.
  case filter
  /// The header fields and bodies of a server's answers.
  case http
  /// The settings files.
  case configuration
  /// What a terminal is shown.
  case terminal

  /// Runs the target on an input.
  ///
  /// - Throws: ``Finding``: what should be true, and isn't.
  package func run(_ bytes: [UInt8]) throws {
    switch self {
    case .json: try JSONTarget.run(bytes)
    case .itemFile: try ItemFileTarget.run(bytes)
    case .journal: try JournalTarget.run(bytes)
    case .fileName: try FileNameTarget.run(bytes)
    case .filter: try FilterTarget.run(bytes)
    case .http: try HTTPTarget.run(bytes)
    case .configuration: try ConfigurationTarget.run(bytes)
    case .terminal: try TerminalTarget.run(bytes)
    }
  }
}
