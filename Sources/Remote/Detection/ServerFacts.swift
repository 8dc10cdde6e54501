import SyncEngine
package import SyncModel

/// The facts about a server that the workspace's state keeps.
package struct ServerFacts: Hashable, Sendable {
  /// The dialect.
  package var dialect: Dialect
  /// The id of its data set, where it tells one: tsync-server does.
  package var dataset: Text?
  /// The user that it, or the token, says we are.
  package var user: Text?
  /// What was learnt of single tables.
  package var tables: [TableName: TableFacts]

  package init(
    dialect: Dialect, dataset: Text? = nil, user: Text? = nil,
    tables: [TableName: TableFacts] = [:]
  ) {
    self.dialect = dialect
    self.dataset = dataset
    self.user = user
    self.tables = tables
  }

  /// Whether rows get their time in the order in which they become visible; tsync-server promises
  /// it with its data set's id.
  package var commitsInOrder: Bool { dataset != nil }
}

extension HTTPAnswer {
  /// Whether this is what was asked for, rather than a page of something in between.
  fileprivate var isAnswering: Bool { status / 100 == 2 && !isMarkup }
}

extension ServerFacts {
  /// The fields that make tsync-server refuse a write that is meant for another data set or user,
  /// with 421; the write couldn't be taken back.
  var condition: [HTTPField] {
    guard let dataset else { return [] }
    let user = user.map { [HTTPField("X-Tsync-User", $0.string)] } ?? []
    return [HTTPField("X-Tsync-Dataset", dataset.string)] + user
  }

  /// Returns why an answer is not of the server and user that these facts are of.
  ///
  /// A server that gave a data set's id and gives none is another one, too; so only whole answers
  /// to what was asked are held to that.
  func objection(to answer: HTTPAnswer, from address: ServerAddress) -> Stop? {
    let found = answer.header("X-Tsync-Dataset").map { Text($0) }
    if let dataset, found != dataset, found != nil || answer.isAnswering {
      return .unsafe(.otherDataset(found, known: dataset, address: "\(address)"))
    }
    return answer.header("X-Tsync-User").flatMap { objection(to: Text($0), at: address) }
  }

  /// Returns the objection if the token belongs to another user than the workspace.
  ///
  /// Only the answers of tsync-server name its users, so its tokens are not compared.
  func objection(to authorization: Authorization, at address: ServerAddress) -> Stop? {
    guard dataset == nil else { return nil }
    return authorization.token?.subject.flatMap { objection(to: $0, at: address) }
  }

  /// Returns why a user is not the one that these facts are of.
  private func objection(to found: Text, at address: ServerAddress) -> Stop? {
    guard let user, found != user else { return nil }
    return .unsafe(.otherUser(found, known: user, address: "\(address)"))
  }
}
