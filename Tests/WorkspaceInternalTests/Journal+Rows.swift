import SyncEngine
import SyncModel

@testable import Workspace

extension Journal {
  /// Makes rows bases.
  func setBase(_ rows: [Row], durably: Bool = true) throws {
    try append(rows.map { .base($0) }, durably: durably)
  }

  /// Lets rows arrive.
  func bring(_ rows: [Row]) throws {
    try append(rows.map { .arrived(Arrival($0)) }, durably: true)
  }

  /// Makes the open arrivals bases, but some, and moves the token.
  func take(but ids: Set<ItemID> = [], token: DeltaToken? = nil) throws {
    try append([.taken(but: ids)] + (token.map { [.token(Feed(table), $0)] } ?? []), durably: true)
  }
}
