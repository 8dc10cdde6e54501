package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
package import SyncModel

/// What is served, and where.
package struct ServerOptions: Sendable {
  /// The server's version.
  package static let version = "0.1.0"

  /// The address to listen on.
  package var host: String
  /// The port to listen on; 0 for any that is free.
  package var port: Int
  /// The tables.
  package var tables: [TableName]
  /// Where clients have the server, when that isn't where it listens: the host that they may name, and
  /// the base of every link.
  package var url: RequestOrigin?
  /// How long connections may take for what.
  package var times = ConnectionTimes()

  /// Makes options.
  package init(
    host: String, port: Int, tables: [TableName], url: RequestOrigin? = nil
  ) {
    self.host = host
    self.port = port
    self.tables = tables
    self.url = url
  }
}

extension Application where Responder == ServerResponder {
  /// Makes the server, with those limits of tsync-server(8) that Hummingbird can hold.
  ///
  /// `started` receives the port once the server accepts connections.
  package init(
    _ responder: ServerResponder, _ options: ServerOptions, logger: Logger,
    started: @escaping @Sendable (Int) async -> Void = { _ in }
  ) {
    let connections = ConnectionCount()
    self.init(
      responder: responder,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ConnectionLimits(connections, options.times)],
          idleTimeout: .seconds(ServedLimits.idleSeconds),
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: ServedLimits.header, maxHeaderListSize: ServedLimits.header,
            maxHeaderFieldCount: ServedLimits.headerFields))),
      configuration: ApplicationConfiguration(
        address: .hostname(options.host, port: options.port),
        availableConnectionsDelegate: MaximumAvailableConnections(
          ServedLimits.connections, logger: logger)),
      onServerRunning: { channel in await started(channel.localAddress?.port ?? options.port) },
      logger: logger)
  }
}
