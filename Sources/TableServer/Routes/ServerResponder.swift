import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
import SyncModel

/// What Hummingbird knows of a request beside its bytes.
package struct ServerContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The client's address, without the port.
  let address: String

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    address = source.channel.remoteAddress?.ipAddress ?? "-"
  }
}

/// Answers every request: looks at host and token, asks the routes, and writes the log.
package struct ServerResponder: HTTPResponder {
  package typealias Context = ServerContext

  private let routes: TableRoutes
  private let gate: ReadGate
  private let dataset: Text
  private let options: ServerOptions
  private let access: Access?
  private let log: RequestLog

  /// Serves tables of a store to whom `access` lets in, or to everybody where it is `nil`.
  package init(
    _ store: any ItemStore, _ options: ServerOptions, access: Access?, log: RequestLog
  ) {
    routes = TableRoutes(store)
    gate = ReadGate(store)
    dataset = store.dataset
    self.options = options
    self.access = access
    self.log = log
  }

  package func respond(to request: Request, context: ServerContext) async throws -> Response {
    let clock = ContinuousClock()
    let start = clock.now
    var user: Text?
    var answer: TableAnswer
    var dialect: ServedDialect {
      ServedDialect(refusing: request.headers, request.head.path ?? "")
    }
    do {
      answer = try await self.answer(request, context, user: &user)
    } catch let error as TableError {
      if case .storeFailed(let fact) = error { log.append(failure: fact, at: .now) }
      answer = .error(error, dialect)
    } catch {
      log.append(failure: "\(error)", at: .now)
      let damage = (error as? StoreDamage).map {
        TableError($0, isRead: request.method == .get)
      }
      answer = .error(damage ?? .storeFailed("\(error)"), dialect)
    }
    answer.fields[.cacheControl] = "no-cache"
    if dialect.namesServer { answer.fields[.zumoServerVersion] = "tsync-\(ServerOptions.version)" }
    answer.fields[.dataset] = dataset.string
    if let user { answer.fields[.user] = user.string }
    log.append(
      RequestLog.Entry(
        time: .now, address: context.address, user: user, method: request.method.rawValue,
        target: request.head.path ?? "", status: answer.status, bytes: answer.body?.count ?? 0,
        duration: clock.now - start))
    return answer.response
  }

  /// Whether a server answers to a host, whatever its public URL is.
  ///
  /// A page in a browser can make its own name mean 127.0.0.1, but can't hide that name.
  package static func answers(host: String) -> Bool {
    RequestOrigin(scheme: "http", authority: host).isLoopback
  }

  private func answer(
    _ request: Request, _ context: ServerContext, user: inout Text?
  ) async throws -> TableAnswer {
    // What a proxy says of the client is believed of nobody.
    let asked = RequestOrigin(scheme: "http", authority: request.head.authority)
    guard asked.isLoopback || options.url?.isNamed(by: asked.authority) == true else {
      throw TableError.misdirected
    }
    let origin = options.url ?? asked
    if let wanted = request.headers[.dataset], Text(wanted) != dataset {
      throw TableError.otherDataset
    }
    if let access { user = try await access.user(request.headers, from: context.address) }
    if let user, let wanted = request.headers[.user], Text(wanted) != user {
      throw TableError.otherUser
    }
    try await gate.permit()
    return try await routes.answer(
      TableRequest(
        method: request.method,
        target: TableTarget(request.head.path ?? "", tables: options.tables, at: origin),
        fields: request.headers, origin: origin,
        body: { try await Self.body(of: request) }))
  }

  private static func body(of request: Request) async throws -> [UInt8] {
    if let length = request.headers[.contentLength].flatMap({ Int($0) }) {
      guard length <= ServedLimits.item else { throw TableError.tooLarge }
    }
    do {
      let buffer = try await request.body.collect(upTo: ServedLimits.item)
      return Array(buffer.readableBytesView)
    } catch is NIOTooManyBytesError {
      throw TableError.tooLarge
    } catch {
      throw TableError.badRequest("the body can't be read")
    }
  }
}

extension TableAnswer {
  /// The answer as Hummingbird sends it, with a length wherever HTTP has one.
  fileprivate var response: Response {
    guard let body else { return Response(status: status, headers: fields) }
    return Response(
      status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}
