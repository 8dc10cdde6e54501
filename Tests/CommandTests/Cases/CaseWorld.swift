import TestSupport
import Testing

@testable import Commands

/// What a case begins with: a server, a line to it that keeps every request, and a person who has
/// cloned its rows.
struct CaseWorld {
  let server: RunningServer
  let line: Proxy
  let anna: Person

  /// Makes a world in which the server has rows, and the person too.
  ///
  /// - Parameters:
  ///   - rows: Rows as JSON texts.
  ///   - treat: What becomes of a request on its way.
  /// - Throws: Where the server can't be started or the clone fails.
  init(
    _ rows: String...,
    treat: @escaping @Sendable (ReceivedRequest) -> Proxy.Treatment = { _ in .forward }
  ) throws {
    server = try RunningServer()
    for row in rows { try server.request("POST", "tables/todoitem", row) }
    line = try Proxy(before: server.url, treat: treat)
    anna = try Person(cloning: line.url)
  }

  /// The methods of the requests that would have changed something, in their order.
  var writes: [String] { line.requests.map(\.method).filter { $0 != "GET" } }

  /// Whether a text stands in any request: its target, its fields, its body.
  func hasSent(_ text: String) -> Bool {
    line.requests.contains { request in
      let fields = request.fields.map { "\($0.name): \($0.value)" }
      return ([request.target] + fields).contains { $0.contains(text) }
        || request.body.firstRange(of: Array(text.utf8)) != nil
    }
  }

  /// Returns the server's row of an id.
  func row(_ id: String) throws -> String { try server.request("GET", "tables/todoitem/\(id)") }
}

extension Person {
  /// Expects the workspace to be in order, and the next exchange to find nothing left to do.
  func expectSound(_ location: SourceLocation = #_sourceLocation) {
    let pulled = run("pull")
    #expect(pulled.status == 0, "\(pulled.error)", sourceLocation: location)
    #expect(
      run("push") == Outcome(status: 0, output: "", error: "nothing to push\n"),
      sourceLocation: location)
    let status = run("status", "--porcelain")
    #expect(status.output == "# tsync.status 1\n", sourceLocation: location)
    let examined = run("doctor")
    #expect(examined.status == 0, "\(examined.output)\(examined.error)", sourceLocation: location)
  }
}
