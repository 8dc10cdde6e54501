/// A transport that sends HTTP requests to a server and receives the answers.
///
/// The transport knows nothing of tables: it is handed whole requests and hands back whole answers,
/// limited in size and time.
package protocol Transport {
  /// Keeps up to `width` requests under way, on the calling thread, until there are none left.
  ///
  /// `next` is asked for a request whenever there is room in the window, until it answers `nil`; it
  /// is asked again after each `done`. `done` is called once for each request, in the order in which
  /// answers arrive. `meanwhile` is called after the requests that `next` gave are on their way and
  /// before the next answer is awaited, so that work can overlap with the network; it is called at
  /// least once for each round of new requests.
  ///
  /// - Throws: What one of the closures threw; the transfers still under way are then abandoned.
  mutating func run(
    width: Int,
    next: () throws -> HTTPRequest?,
    done: (HTTPRequest, Result<HTTPAnswer, TransportError>) throws -> Void,
    meanwhile: () throws -> Void
  ) throws
}
