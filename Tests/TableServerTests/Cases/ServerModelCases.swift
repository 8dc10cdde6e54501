import Foundation
import HTTPTypes
import SyncModel
import TableServer
import Testing

/// The whole server on SQLite, and in memory, against the model.
@Suite struct ServerModelCases {
  private typealias Chance = FilterHistoryTests.Chance
  private typealias Request = ModelTable.Request

  /// How many histories are tried: 20 of 100 requests, or as many as `TSYNC_SEEDS` says.
  private static let seeds =
    0..<(ProcessInfo.processInfo.environment["TSYNC_SEEDS"].flatMap(Int.init) ?? 20)

  @Test("random requests are answered as the model says", arguments: StoreKind.allCases)
  func agree(kind: StoreKind) async throws {
    for seed in Self.seeds {
      // A clock that stands still and goes back: stamps must not mind.
      let clock = FakeClock(1_000_000)
      try await TestServer.run(kind, now: { clock.now() }) { server in
        var chance = Chance(seed: UInt64(seed))
        var model = ModelTable()
        for step in 0..<100 {
          clock.set(1_000_000 + Int64.random(in: -5_000...5_000, using: &chance))
          let isSame =
            Int.random(in: 0..<4, using: &chance) == 0
            ? try await Self.listsAgree(server, model, &chance)
            : try await Self.answersAgree(server, &model, &chance)
          guard isSame else {
            Issue.record("seed \(seed), step \(step)")
            return
          }
        }
      }
    }
  }

  private static func answersAgree(
    _ server: TestServer, _ model: inout ModelTable, _ chance: inout Chance
  ) async throws -> Bool {
    let request = request(&chance, model)
    let expected = model.answer(request)
    let reply = try await send(request, to: server)
    let isSame =
      reply.status == expected.status && row(of: reply) == expected.row
      && (expected.row == nil || expected.status == 304
        || reply.eTag
          == "\"\(Stamp(moment: .now, count: expected.row?.version ?? 0).version.text)\"")
    #expect(isSame, "\(request) expected \(expected), got \(reply.status) \(reply.text)")
    return isSame
  }

  private static func request(_ chance: inout Chance, _ model: ModelTable) -> Request {
    var request = Request(
      verb: chance.pick(Request.Verb.allCases), id: chance.pick(["a", "b", "c", "d/e", "é"]))
    for name in ["n", "m", "o"] where Bool.random(using: &chance) {
      let isRemoved = Int.random(in: 0..<4, using: &chance) == 0
      request.members.updateValue(
        isRemoved ? nil : Int.random(in: 0..<10, using: &chance),
        forKey: chance.pick([name, name.uppercased()]))
    }
    let version = model.rows[request.id]?.version ?? 1
    func tag(_ chance: inout Chance) -> Int64? { chance.pick([nil, nil, version, version - 1, 0]) }
    request.match = tag(&chance)
    if Int.random(in: 0..<5, using: &chance) == 0 { request.noneMatch = tag(&chance) }
    request.seesDeleted = Bool.random(using: &chance)
    request.revives = Int.random(in: 0..<3, using: &chance) == 0
    return request
  }

  private static func send(_ request: Request, to server: TestServer) async throws -> Reply {
    func field(_ version: Int64?) -> String {
      version.map {
        $0 == 0 ? "*" : "\"\(Stamp(moment: .now, count: $0).version.text)\""
      } ?? ""
    }
    var members = request.members.sorted { $0.key < $1.key }.map {
      "\"\($0.key)\":\($0.value.map(String.init) ?? "null")"
    }
    if request.verb == .insert { members.append("\"id\":\"\(request.id)\"") }
    if request.revives, request.verb != .insert { members.append("\"deleted\":false") }
    let path = request.verb == .insert ? "todoitem" : "todoitem/\(Text(request.id).percentEncoded)"
    let hasBody = [.insert, .patch, .put].contains(request.verb)
    return try await server.send(
      HTTPRequest.Method(String(request.verb.rawValue.prefix { $0 != " " })) ?? .get,
      path + (request.seesDeleted ? "?__includedeleted=true" : ""),
      hasBody ? "{\(members.joined(separator: ","))}" : nil,
      [(.ifMatch, field(request.match)), (.ifNoneMatch, field(request.noneMatch))])
  }

  /// The row of an answer, as the model has rows; `nil` where it has none.
  private static func row(of reply: Reply) -> ModelTable.Row? {
    guard let object = reply.object, object["error"] == nil, let version = reply.version else {
      return nil
    }
    var row = ModelTable.Row(members: [:], version: 0, isDeleted: object["deleted"] == true)
    row.version = (1...1_000).first { Stamp(moment: .now, count: $0).version.text == version } ?? 0
    for member in object.members where member.value.integer != nil || member.value == .null {
      row.members.updateValue(member.value.integer, forKey: member.name.string)
    }
    return row
  }

  private static func listsAgree(
    _ server: TestServer, _ model: ModelTable, _ chance: inout Chance
  ) async throws -> Bool {
    let least = chance.pick([nil, nil, 3, 7])
    let (seesDeleted, byTime) = (chance.pick([true, false]), chance.pick([true, false]))
    let (skip, top) = (chance.pick([0, 0, 1, 3]), chance.pick([1, 2, 10]))
    var path = "todoitem?$count=true&$skip=\(skip)&$top=\(top)"
    if let least { path += "&$filter=\(chance.pick(["n", "N"]))%20ge%20\(least)" }
    if byTime { path += "&$orderby=updatedAt" }
    if seesDeleted { path += "&__includedeleted=true" }
    let reply = try await server.send(.get, path)
    let expected = model.list(
      above: least, seesDeleted: seesDeleted, byTime: byTime, skip: skip, top: top)
    let isSame =
      reply.status == 200 && reply.ids == expected.ids.joined()
      && reply["count"]?.integer == expected.count
    #expect(isSame, "\(path) expected \(expected), got \(reply.status) \(reply.text)")
    return isSame
  }
}
