import CurlTransport
import Glibc
package import Remote
package import SyncModel
import SystemPackage
package import TestSupport

/// Requests by hand, through libcurl.
package enum Wire {
  /// Sends a request and returns its answer.
  ///
  /// - Throws: `TransportError` where there is none.
  package static func send(
    _ method: String, _ url: String, _ body: [UInt8], fields: [(String, String)]
  ) throws -> HTTPAnswer {
    var transport = CurlTransport(userAgent: "test", certificateFile: nil, noProxy: nil)
    var waiting: HTTPRequest? = HTTPRequest(
      tag: 0, method: method, url: url,
      headers: [
        HTTPField("ZUMO-API-VERSION", "3.0.0"), HTTPField("Content-Type", "application/json"),
      ]
        + fields.map { HTTPField($0.0, $0.1) },
      body: body.isEmpty ? nil : body)
    var result: Result<HTTPAnswer, TransportError>?
    try transport.run(
      width: 1,
      next: {
        defer { waiting = nil }
        return waiting
      }, done: { result = $1 }, meanwhile: {})
    guard let result else { throw Errno.ioError }
    return try result.get()
  }
}

extension Wire {
  /// Hands a request on to a server.
  package static func forward(_ request: ReceivedRequest, to url: String) throws -> HTTPAnswer {
    let own = [
      "host", "content-length", "content-type", "accept-encoding", "connection", "accept",
      "zumo-api-version",
    ]
    let fields = request.fields.filter { !own.contains($0.name.lowercased()) }
    return try send(
      request.method, url + request.target, request.body,
      fields: fields.map { ($0.name, $0.value) })
  }
}

/// A line between client and server that a test can disturb.
package final class Proxy {
  /// What happens to a request.
  package enum Treatment: Sendable {
    /// It is handed on, and the answer back.
    case forward
    /// It is handed on, and the answer is lost.
    case loseAnswer
    /// It is answered here.
    case answer(ScriptedReply)
  }

  private let server: ScriptedServer
  /// Its address.
  package var url: String { server.url }
  /// The requests so far.
  package var requests: [ReceivedRequest] { server.requests }

  /// Stands before a server; `treat` is asked about each request before it is handed on.
  package init(
    before url: String, treat: @escaping @Sendable (ReceivedRequest) -> Treatment
  ) throws {
    server = try ScriptedServer { request in
      let treatment = treat(request)
      if case .answer(let reply) = treatment { return reply }
      guard let answer = try? Wire.forward(request, to: url) else { return .broken }
      guard case .forward = treatment else { return .dropped }
      let kept = answer.headers.filter {
        !["content-length", "transfer-encoding", "connection"].contains($0.name.lowercased())
      }
      return .answer(
        answer.status, kept.map { (name: $0.name, value: $0.value) }, body: answer.body)
    }
  }
}

extension RunningServer {
  /// Sends a request as any program may, and returns the text of its answer.
  @discardableResult
  package func request(
    _ method: String, _ target: String, _ body: String = ""
  ) throws -> String {
    let answer = try Wire.send(method, "\(url)/\(target)", Array(body.utf8), fields: [])
    return String(decoding: answer.body, as: UTF8.self)
  }

  /// The id of its data set.
  package var dataset: String? {
    let answer = try? Wire.send("GET", "\(url)/tables/todoitem", [], fields: [])
    return answer?.header("X-Tsync-Dataset")
  }

  /// Returns the rows of an id as the server lists them, tombstones too.
  package func rows(_ id: String) throws -> [JSONObject] {
    let list = try request(
      "GET", "tables/todoitem?$filter=id%20eq%20'\(id)'&__includedeleted=true")
    let rows = try JSON(parsing: Array(list.utf8)).object?["items"]?.elements ?? []
    return rows.compactMap(\.object)
  }
}
