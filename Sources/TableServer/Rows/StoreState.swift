package import SyncModel
import Synchronization

/// What may be done with a store; the texts are ids made by chance.
package enum StoreState: Hashable, Sendable {
  /// It is served.
  case open
  /// Its rows are copied into the store that was made for the copy: it is read, but not written.
  case moving(Text)
  /// The store that was made for the copy has its rows: it is served no more.
  case moved(Text)
  /// It was made for a copy, and one run of it fills it.
  case copying(Text, run: Text)

  /// Reads a state as a store keeps it; `nil` where it is none.
  package init?(_ text: String) {
    let words = text.utf8.split(separator: 0x20).map { Text(String(Substring($0))) }
    switch (words.first, words.count) {
    case ("open", 1): self = .open
    case ("moving", 2): self = .moving(words[1])
    case ("moved", 2): self = .moved(words[1])
    case ("copying", 3): self = .copying(words[1], run: words[2])
    default: return nil
    }
  }

  /// How a store keeps it.
  package var text: String {
    switch self {
    case .open: "open"
    case .moving(let copy): "moving \(copy)"
    case .moved(let copy): "moved \(copy)"
    case .copying(let copy, let run): "copying \(copy) \(run)"
    }
  }

  /// Refuses to write.
  ///
  /// - Throws: `TableError.storeFailed` where the store isn't open.
  package func permitWrites() throws {
    guard self == .open else {
      throw TableError.storeFailed("the store is not open: its state is '\(text)'")
    }
  }
}

/// Keeps rows from being served that another store may have newer: asks for the state once a second.
///
/// A class, because all requests share what was read.
final class ReadGate: Sendable {
  private let store: any ItemStore
  private let permitted = Mutex<ContinuousClock.Instant?>(nil)

  /// Guards the reads of a store.
  init(_ store: any ItemStore) { self.store = store }

  /// Refuses to read.
  ///
  /// - Throws: `TableError.storeFailed` where the store is served no more, or whatever keeps it from being read.
  func permit() async throws {
    let now = ContinuousClock.now
    if let permitted = permitted.withLock(\.self), now - permitted < .seconds(1) { return }
    let state = try await store.state()
    if case .moving = state {} else { try state.permitWrites() }
    permitted.withLock { $0 = now }
  }
}
