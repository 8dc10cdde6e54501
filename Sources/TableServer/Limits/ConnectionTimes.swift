package import NIOCore

/// How long a connection may take for what.
///
/// A connection that asks nothing is Hummingbird's to close, after ``ServedLimits/idleSeconds``.
package struct ConnectionTimes: Sendable {
  /// From the connection's start to its first whole header.
  package var firstHeader = TimeAmount.seconds(10)
  /// From a header on, before the body's speed is looked at.
  package var bodyGrace = TimeAmount.seconds(5)
  /// The bytes of a body that must come in each second after that.
  package var bodyBytesPerSecond = 1_024
  /// From a header to the end of its body.
  package var body = TimeAmount.seconds(300)
  /// In which so many bytes a second of what waits to be sent must be taken.
  package var answer = TimeAmount.seconds(15)
  /// The bytes of an answer that must be taken in each second of that.
  package var answerBytesPerSecond = 4_096

  /// Makes the times of tsync-server(8).
  package init() {}
}
