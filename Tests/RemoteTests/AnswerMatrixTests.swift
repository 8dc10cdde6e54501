import Remote
import SyncEngine
import SyncModel
import Testing

/// 15 statuses × 8 bodies × 5 verbs: what each of the 600 answers comes to.
///
/// A cell is an outcome and a stop. Outcomes: `D` done with the row, `d` done without it, `r` refused,
/// `x` disputed, `y` absent, `p` refused by what passes, `q` disputed by it, `w` unknown with the server's
/// words, `u` unknown without, `n` not sent; of a reading `R` the row, `A` absent, `U` one that can't be
/// taken, `S` none. Stops: `m` what answers doesn't speak the protocol, `a` unauthorized, `b` busy, `u`
/// unreachable.
@Suite struct AnswerMatrixTests {
  private static let columns = """
                  row other no-version error cut empty page as-text
    """
  private static let table = """
    200 insert    D- D- d- u- u- u- u- D-
    200 update    D- u- d- u- u- u- u- D-
    200 delete    d- u- d- u- u- d- u- d-
    200 undelete  D- u- d- u- u- u- u- D-
    200 read      R- U- R- Sm Sm Sm Sm R-
    201 insert    D- D- d- d- u- d- u- D-
    201 update    u- u- u- u- u- u- u- u-
    201 delete    u- u- u- u- u- u- u- u-
    201 undelete  D- u- d- u- u- u- u- D-
    201 read      Sm Sm Sm Sm Sm Sm Sm Sm
    204 insert    D- D- d- u- u- u- u- D-
    204 update    u- u- u- u- u- u- u- u-
    204 delete    d- d- d- d- d- d- d- d-
    204 undelete  u- u- u- u- u- u- u- u-
    204 read      Sm Sm Sm Sm Sm Sm Sm Sm
    302 insert    nm nm nm nm nm nm nm nm
    302 update    nm nm nm nm nm nm nm nm
    302 delete    nm nm nm nm nm nm nm nm
    302 undelete  nm nm nm nm nm nm nm nm
    302 read      Sm Sm Sm Sm Sm Sm Sm Sm
    400 insert    r- r- r- r- r- r- r- r-
    400 update    r- r- r- r- r- r- r- r-
    400 delete    r- r- r- r- r- r- r- r-
    400 undelete  r- r- r- r- r- r- r- r-
    400 read      U- U- U- U- U- U- Sm U-
    401 insert    na na na na na na na na
    401 update    na na na na na na na na
    401 delete    na na na na na na na na
    401 undelete  na na na na na na na na
    401 read      Sa Sa Sa Sa Sa Sa Sa Sa
    403 insert    r- r- r- r- r- r- na r-
    403 update    r- r- r- r- r- r- na r-
    403 delete    r- r- r- r- r- r- na r-
    403 undelete  r- r- r- r- r- r- na r-
    403 read      U- U- U- U- U- U- Sa U-
    404 insert    y- y- y- y- y- y- p- y-
    404 update    y- y- y- y- y- y- p- y-
    404 delete    y- y- y- y- y- y- p- y-
    404 undelete  y- y- y- y- y- y- p- y-
    404 read      A- A- A- A- A- A- A- A-
    405 insert    r- r- r- r- r- r- r- r-
    405 update    r- r- r- r- r- r- r- r-
    405 delete    r- r- r- r- r- r- r- r-
    405 undelete  r- r- r- r- r- r- r- r-
    405 read      U- U- U- U- U- U- Sm U-
    409 insert    x- x- x- x- x- x- x- x-
    409 update    x- x- x- x- x- x- x- x-
    409 delete    x- x- x- x- x- x- x- x-
    409 undelete  x- x- x- x- x- x- x- x-
    409 read      U- U- U- U- U- U- Sm U-
    412 insert    x- x- x- x- x- x- x- x-
    412 update    x- x- x- x- x- x- x- x-
    412 delete    x- x- x- x- x- x- x- x-
    412 undelete  x- x- x- x- x- x- x- x-
    412 read      U- U- U- U- U- U- Sm U-
    429 insert    p- p- p- p- p- p- p- p-
    429 update    p- p- p- p- p- p- p- p-
    429 delete    p- p- p- p- p- p- p- p-
    429 undelete  p- p- p- p- p- p- p- p-
    429 read      Sb Sb Sb Sb Sb Sb Sb Sb
    500 insert    q- q- q- q- q- q- q- q-
    500 update    q- q- q- q- q- q- q- q-
    500 delete    q- q- q- q- q- q- q- q-
    500 undelete  q- q- q- q- q- q- q- q-
    500 read      U- U- U- U- U- U- Su U-
    502 insert    w- w- w- w- w- w- w- w-
    502 update    w- w- w- w- w- w- w- w-
    502 delete    w- w- w- w- w- w- w- w-
    502 undelete  w- w- w- w- w- w- w- w-
    502 read      Su Su Su Su Su Su Su Su
    503 insert    w- w- w- w- w- w- w- w-
    503 update    w- w- w- w- w- w- w- w-
    503 delete    w- w- w- w- w- w- w- w-
    503 undelete  w- w- w- w- w- w- w- w-
    503 read      Sb Sb Sb Sb Sb Sb Sb Sb
    """

  private static func answer(_ status: Int, _ body: Int) -> HTTPAnswer {
    let row = Sample.rowText("a1")
    return switch body {
    case 0: .json(status, row)
    case 1: .json(status, Sample.rowText("a2"))
    case 2: .json(status, Sample.rowText("a1", version: nil))
    case 3: .json(status, #"{"error":"no"}"#)
    case 4: .json(status, String(row.dropLast(5)))
    case 5: .empty(status)
    case 6: .page(status)
    default: .plain(status, row)
    }
  }

  private func outcome(_ verb: String, _ answer: HTTPAnswer) throws -> String {
    // A list of the table is always there; the item is answered as the cell says.
    let transport = ScriptedTransport { request in
      .success(request.url.contains("$") ? .json(200, #"{"items":[]}"#) : answer)
    }
    var backend = Stage().backend(transport)
    guard let kind = Operation.Kind(rawValue: verb) else {
      do {
        return switch try backend.read(Sample.key("a1")) {
        case .row: "R-"
        case .absent: "A-"
        case .refused: "U-"
        }
      } catch let stop as Stop {
        return "S" + letter(of: stop)
      }
    }
    let replies = try backend.replies(to: [Self.attempts[kind] ?? Sample.attempt(kind)])
    guard replies.count == 1, let reply = replies.first?.reply else { return "??" }
    let outcome =
      switch reply.outcome {
      case .done(_?): "D"
      case .done(nil): "d"
      case .refused(let refusal): refusal.passes ? "p" : "r"
      case .disputed(let refusal): refusal.passes ? "q" : "x"
      case .absent: "y"
      case .unknown(_?): "w"
      case .unknown(nil): "u"
      case .cut: "u"
      case .notSent: "n"
      }
    return outcome + letter(of: reply.stop)
  }

  private static let attempts = Dictionary(
    uniqueKeysWithValues: Operation.Kind.allCases.map { ($0, Sample.attempt($0)) })

  private func letter(of stop: Stop?) -> String {
    switch stop {
    case nil: "-"
    case .notSpeaking, .elsewhere: "m"
    case .unauthorized: "a"
    case .busy: "b"
    case .unreachable: "u"
    case .noTable: "t"
    case .unsafe: "!"
    }
  }

  @Test("S19: each of the 600 answers means what the table says")
  func means() throws {
    var count = 0
    for line in Self.table.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      let status = try #require(Int(words[0]))
      for (body, expected) in words.dropFirst(2).enumerated() {
        let found = try outcome(words[1], Self.answer(status, body))
        #expect(found == expected, "\(status) \(words[1]), body \(body)")
        if found == expected { count += 1 }
      }
    }
    print("S19: \(count) of 600 as tabled")
    #expect(count == 600)
    #expect(Self.columns.split(separator: " ").count == 8)
  }

  @Test(
    "the other statuses mean what their kin means",
    arguments: [
      ("410", "y- A-"), ("408", "w- Su"), ("425", "w- Su"), ("413", "r- U-"), ("415", "r- U-"),
      ("422", "r- U-"), ("428", "r- U-"), ("451", "p- Sm"), ("421", "w- Su"), ("501", "r- U-"),
      ("402", "p- Sm"), ("423", "p- Sm"), ("424", "p- Sm"), ("414", "r- U-"), ("431", "r- U-"),
      ("507", "w- Su"), ("509", "w- Su"), ("529", "w- Su"),
      ("504", "w- Su"), ("522", "w- Su"), ("407", "nu Su"), ("511", "nu Su"), ("301", "nm Sm"),
      ("303", "um Sm"), ("304", "um Sm"), ("307", "nm Sm"), ("308", "nm Sm"), ("202", "u- Sm"),
      ("206", "u- Sm"),
    ])
  func otherStatuses(status: String, expected: String) throws {
    let answer = HTTPAnswer.json(try #require(Int(status)), #"{"error":"no"}"#)
    #expect("\(try outcome("update", answer)) \(try outcome("read", answer))" == expected)
  }
}
