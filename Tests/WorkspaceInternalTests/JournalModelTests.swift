import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Workspace

/// What a journal should say: its lines so far, each applied as the documents tell it.
private struct BaseModel {
  enum Line {
    case row(Row)
    case pushed(Row)
    case taken(but: Set<ItemID>)
    case token(DeltaToken)
    case pulled
    case sent(Attempt)
    case refused(ItemID, Rejection)
    case ended(ItemID)
  }

  /// The lines since the log was last forgotten, and where each ends in the file.
  var lines: [(line: Line, end: Int)] = []
  var bases: [ItemID: Row] = [:]
  var incoming: [ItemID: Row] = [:]
  var token: DeltaToken?
  var isPulled = false
  var attempts: [ItemID: Attempt] = [:]
  var rejections: [ItemID: Rejection] = [:]

  mutating func add(_ line: Line, end: Int) {
    lines.append((line, end))
    switch line {
    case .row(let row): incoming[row.id] = row
    case .pushed(let row):
      incoming[row.id] = nil
      bases[row.id] = row
      rejections[row.id] = nil
    case .taken(let ids):
      for (id, row) in incoming where !ids.contains(id) {
        bases[id] = row
        incoming[id] = nil
        rejections[id] = nil
      }
    case .token(let token): self.token = token
    case .pulled: isPulled = true
    case .sent(let attempt): attempts[attempt.key.id] = attempt
    case .refused(let id, let rejection):
      attempts[id] = nil
      rejections[id] = rejection
    case .ended(let id):
      attempts[id] = nil
      rejections[id] = nil
    }
  }

  /// Returns the model of a file of so many bytes.
  func cut(to length: Int) -> BaseModel {
    var model = BaseModel()
    for (line, end) in lines where end <= length { model.add(line, end: end) }
    return model
  }
}

@Suite struct JournalModelTests {
  /// One life of a log: what is done to it at random, and to a model of it.
  private struct Life {
    let bench: RowsBench
    var random: SplitMix64
    var log: Journal
    var model = BaseModel()
    var durable = 0
    var index: StatIndex?

    init(seed: UInt64) throws {
      bench = try RowsBench()
      random = SplitMix64(seed: seed)
      log = try bench.log()
    }

    private var path: String { "journal/todoitem.jsonl" }

    private mutating func rows() throws -> [Row] {
      try (0..<(1 + random.below(5))).map { _ in
        try bench.row(
          Text("id \(random.below(12))"), "text \(random.below(1_000_000))",
          version: Text("v\(random.below(1_000_000))"), deleted: random.once(in: 4))
      }
    }

    private mutating func append(atOnce: Bool, durably: Bool) throws {
      let rows = try rows()
      let start = log.position
      try log.append(
        rows.map { atOnce ? .base($0) : .arrived(Arrival($0)) }, durably: durably)
      let bytes = try #require(bench.directory.read(path))
      var end = start.offset
      if end == 0 { end = 1 + (bytes.firstIndex(of: 0x0A) ?? 0) }
      for row in rows {
        end += 1 + (bytes[end...].firstIndex(of: 0x0A) ?? end) - end
        model.add(atOnce ? .pushed(row) : .row(row), end: end)
      }
      #expect(end == log.position.offset)
      if durably || start.offset == 0 { durable = end }
    }

    mutating func step() throws {
      switch random.below(15) {
      case 12: try send()
      case 13: try end()

      case 0...2: try append(atOnce: false, durably: true)
      case 3...4: try append(atOnce: true, durably: random.once(in: 2))
      case 5: try take()
      case 6: try move()
      case 7: try compact()
      case 8 where random.once(in: 3):
        try log.forget()
        model = BaseModel()
        durable = log.position.offset
      case 9: try saveIndex()
      case 10: try reopen()
      default: try crash()
      }
    }

    private mutating func take() throws {
      var ids: Set<ItemID> = []
      for id in model.incoming.keys.sorted() where random.once(in: 3) { ids.insert(id) }
      let isNews = model.incoming.contains { !ids.contains($0.key) }
      let start = log.position.offset
      try log.take(but: ids)
      #expect((log.position.offset != start) == isNews, "without news nothing is written")
      durable = log.position.offset
      if isNews { model.add(.taken(but: ids), end: durable) }
    }

    private mutating func send() throws {
      let key = ItemKey(log.table, try ItemID(Text("id \(random.below(12))")))
      let attempt = Attempt(
        key: key, kind: .delete, version: Version(Text("v\(random.below(100))")), item: nil,
        digest: nil, tries: 1 + random.below(3), time: Int64(random.below(1_000)))
      try log.append([.sent(attempt)], durably: true)
      durable = log.position.offset
      model.add(.sent(attempt), end: durable)
    }

    private mutating func end() throws {
      let id = try ItemID(Text("id \(random.below(12))"))
      let rejection = Rejection(
        kind: .delete, refusal: Refusal(status: 400, words: "no"), digest: nil,
        tries: random.below(9), time: 7)
      let isRefused = random.once(in: 2)
      try log.append([isRefused ? .refused(id, rejection) : .ended(id)], durably: true)
      durable = log.position.offset
      model.add(isRefused ? .refused(id, rejection) : .ended(id), end: durable)
    }

    private mutating func move() throws {
      let token = DeltaToken(Text("T\(random.below(100))"))
      let isEnd = random.once(in: 4)
      try log.append([isEnd ? .pulled : .token(Feed(log.table), token)], durably: true)
      durable = log.position.offset
      model.add(isEnd ? .pulled : .token(token), end: durable)
    }

    private mutating func compact() throws {
      guard !log.generation.isEmpty else { return }
      let ids = try (0..<12).map { try ItemID(Text("id \($0)")) }
      func had() throws -> [[Version]?] { try ids.map { try log.base(of: $0).row?.had } }
      let before = try had()
      try log.compact()
      #expect(try had() == before)
      // What a crash may take back begins behind it: the lines before are one whole.
      for line in model.lines.indices { model.lines[line].end = 0 }
      durable = log.position.offset
    }

    private mutating func saveIndex() throws {
      guard !log.generation.isEmpty else { return }
      try StatIndexWriter.write([TableImage(of: log, walk: nil)], to: bench.root)
    }

    /// Opens the log anew, with the index, however old it is, or without.
    private mutating func reopen() throws {
      if random.once(in: 3) { remove(bench.directory.path(of: "index")) }
      log = try bench.log()
    }

    /// Takes back what a power loss may take back.
    private mutating func crash() throws {
      guard let bytes = bench.directory.read(path) else { return }
      let length = durable + random.below(bytes.count - durable + 1)
      bench.directory.write(Array(bytes[..<length]), to: path)
      model = model.cut(to: length)
      try reopen()
      durable = log.position.offset
    }

    func check(_ context: Comment) throws {
      for number in 0..<12 {
        let id = try ItemID(Text("id \(number)"))
        #expect(try log.base(of: id) == model.bases[id].map(Base.init) ?? .neverSeen, context)
      }
      let live = model.bases.values.filter { !$0.deleted }
      #expect(try log.ids(.live).sorted() == live.map(\.id).sorted(), context)
      #expect(log.rows.liveCount == live.count, context)
      #expect(log.rows.state.tokens[Feed(log.table)] == model.token, context)
      #expect(log.rows.state.isPulled == model.isPulled, context)
      #expect(
        try log.attempts() == model.attempts.values.sorted { $0.key < $1.key }, context)
      let refused = model.rejections
      #expect(Set(log.rows.open.refusals.keys) == Set(refused.keys), context)
      for (id, rejection) in refused { #expect(try log.rejection(of: id) == rejection, context) }
      #expect(
        try log.arrivals().map(\.row) == model.incoming.values.sorted { $0.id < $1.id },
        context)
      let bytes = model.bases.keys.compactMap { id in id.withBytes(log.rows.entry(of:)) }
        .reduce(0) { $0 + Int($1.length) }
      #expect(log.rows.effectiveBytes == bytes, context)
    }
  }

  @Test(
    "Whatever is appended, committed, held, pushed, compacted, indexed, lost and opened again, the log says what a dictionary says",
    arguments: 0..<40)
  func agreesWithTheModel(number: Int) throws {
    let seed = UInt64(number) &* 0x9E37_79B9 &+ 11
    var life = try Life(seed: seed)
    for step in 0..<60 {
      try life.step()
      try life.check("seed \(seed), step \(step)")
    }
  }
}
