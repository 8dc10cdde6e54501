import CommandSupport
import Commands
import SyncModel
import TestSupport
import Testing

/// Writes whose outcome only the row can tell.
@Suite struct LostReplyCases {
  private static let milk = #"{"id": "milk", "text": "Buy milk", "notes": "n"}"#

  private let world: CaseWorld
  private var anna: Person { world.anna }

  init() throws {
    world = try CaseWorld(Self.milk)
  }

  /// Pushes while the answer to a method is lost, and no row can be read.
  private func pushLosing(_ method: String) {
    world.disturb { request in
      if request.method == method { return .loseAnswer }
      return request.method == "GET" ? .answer(.dropped) : .forward
    }
    #expect(anna.run("push").status == 5)
    world.calm()
  }

  private func server(_ method: String, _ id: String, _ body: String = "") throws {
    try world.server.request(method, "tables/todoitem/\(id)", body)
  }

  @Test(
    "case 39: an insert whose reply was lost, its row changed since: the row decides, a conflict")
  func insertedThenChanged() throws {
    anna.run("new", "-s", "id=tea", "Buy tea")
    pushLosing("POST")
    try server("PATCH", "tea", #"{"text": "Buy coffee"}"#)
    // A server of version 2 sends back what it was sent, and calls it a conflict.
    world.disturbOnce("POST", .answer(.json(#"{"id": "tea", "text": "Buy tea"}"#, status: 409)))
    let found = anna.run("push")
    #expect(found.status == 1, "\(found)")
    #expect(anna.item("tea")?.contains("Buy tea") == true)
    #expect(try world.server.rows("tea").first?["text"] == "Buy coffee")
    #expect(anna.run("resolve", "--client", "tea").status == 0)
    world.expectCalm()
    #expect(try world.server.rows("tea").first?["text"] == "Buy tea")
  }

  @Test("case 40: an insert whose reply was lost is found done by 409 and a reading")
  func inserted() throws {
    anna.run("new", "-s", "id=tea", "Buy tea")
    pushLosing("POST")
    let found = anna.run("push", "--json")
    #expect(found.status == 0)
    #expect(found.output.contains(#""did":"created","alreadyThere":true}"#), "\(found)")
    #expect(anna.conflicts == [])
    world.expectCalm()
    #expect(try world.server.rows("tea").count == 1)
  }

  @Test("case 41: 409 and no row to be seen: the id is taken, the change refused, nothing lost")
  func takenInvisibly() throws {
    anna.run("new", "-s", "id=tea", "Buy tea")
    world.disturb { request in
      if request.method == "POST" { return .answer(.json(#"{"error": "taken"}"#, status: 409)) }
      guard request.target.contains("/tea") else { return .forward }
      return .answer(.json(#"{"error": "no"}"#, status: 404))
    }
    let refused = anna.run("push")
    #expect(refused.status == 3)
    #expect(refused.output == "rejected tea  409 taken (the server shows no row with this id)\n")
    #expect(anna.item("tea")?.contains("Buy tea") == true)
    #expect(
      anna.run("status").output.contains("409 taken (the server shows no row with this id) · 1 try")
    )
    world.calm()
    #expect(anna.run("mv", "tea", "tea2").status == 0)
    world.expectCalm()
    #expect(try world.server.rows("tea2").count == 1)
  }

  @Test("case 41: 409 and a reading that is refused by 400: the change is refused, nothing lost")
  func takenUnreadably() throws {
    anna.run("new", "-s", "id=tea", "Buy tea")
    world.disturb { request in
      if request.method == "POST" { return .answer(.json(#"{"error": "taken"}"#, status: 409)) }
      guard request.target.contains("/tea") else { return .forward }
      return .answer(.json(#"{"error": "no"}"#, status: 400))
    }
    let refused = anna.run("push")
    #expect(refused.status == 3)
    #expect(
      refused.output.hasPrefix("rejected tea  409 taken; the server's row cannot be read: 400 no"))
    #expect(anna.item("tea")?.contains("Buy tea") == true)
    world.calm()
    #expect(anna.run("push", "tea").output == "created tea  Buy tea\n")
    world.expectCalm()
    #expect(try world.server.rows("tea").count == 1)
  }

  @Test("case 42: an update whose reply was lost is found done")
  func updated() throws {
    anna.run("set", "milk", "text=Buy oat milk")
    pushLosing("PATCH")
    let found = anna.run("push", "--json")
    #expect(found.status == 0)
    #expect(found.output.contains(#""did":"updated","alreadyThere":true}"#), "\(found)")
    world.expectCalm()
  }

  @Test("case 43: the same, and edited again since: the first is found done, the second is sent")
  func updatedThenEdited() throws {
    anna.run("set", "milk", "text=Buy oat milk")
    pushLosing("PATCH")
    anna.run("set", "milk", "text=Buy soy milk")
    let found = anna.run("push")
    #expect(found.status == 0, "\(found)")
    #expect(try world.server.rows("milk").first?["text"] == "Buy soy milk")
    #expect(anna.conflicts == [])
    world.expectCalm()
  }

  @Test("case 44: the same, and somebody else edited the field since: it is a conflict")
  func updatedThenChanged() throws {
    anna.run("set", "milk", "text=Buy oat milk")
    pushLosing("PATCH")
    try server("PATCH", "milk", #"{"text": "Buy goat milk"}"#)
    anna.run("set", "milk", "text=Buy soy milk")
    let found = anna.run("push")
    #expect(found.status == 1, "\(found)")
    #expect(anna.item("milk")?.contains("Buy soy milk") == true)
    // Its sides, and what both began with: the row as it was before the reply was lost.
    let place = "list/.todosync/conflicts/todoitem/milk"
    for (side, text) in [
      ("base", "Buy milk"), ("client", "Buy soy milk"), ("server", "Buy goat milk"),
    ] {
      let kept = try JSON(parsing: #require(anna.directory.read("\(place).\(side).json"))).object
      #expect(kept?["text"] == .string(Text(text)), "\(side)")
    }
    #expect(anna.run("resolve", "--client", "milk").status == 0)
    world.expectCalm()
    #expect(try world.server.rows("milk").first?["text"] == "Buy soy milk")
  }

  @Test(
    "case 45: a delete whose reply was lost is done, whatever the second one is answered",
    arguments: [0, 404, 410, 412])
  func deleted(status: Int) throws {
    anna.run("rm", "milk")
    pushLosing("DELETE")
    if status != 0 {
      world.disturbOnce("DELETE", .answer(.json(#"{"error": "no"}"#, status: status)))
    }
    let found = anna.run("push")
    #expect(found.status == 0, "\(found)")
    #expect(found.output.hasPrefix("deleted milk  Buy milk"))
    world.expectCalm()
  }

  @Test("case 46: a delete of a row that was changed since is a conflict")
  func deletedButChanged() throws {
    anna.run("rm", "milk")
    try server("PATCH", "milk", #"{"text": "Buy oat milk"}"#)
    let met = anna.run("push")
    #expect(met.status == 1)
    #expect(try world.server.rows("milk").first?["deleted"]?.boolean != true)
    #expect(anna.run("resolve", "--server", "milk").status == 0)
    world.expectCalm()
    #expect(anna.item("milk")?.contains("Buy oat milk") == true)
  }

  @Test("case 47: an update of a row that is gone for good is a conflict, never an insert")
  func goneForGood() throws {
    anna.run("set", "milk", "text=Buy oat milk")
    world.disturb { request in
      request.target.contains("/milk")
        ? .answer(.json(#"{"error": "no such item"}"#, status: 404)) : .forward
    }
    let met = anna.run("push")
    #expect(met.status == 1, "\(met)")
    #expect(world.count("POST") == 0)
    #expect(anna.item("milk")?.contains("Buy oat milk") == true)
  }

  @Test(
    "case 48: 412 without a body is settled by reading the row: merged, or in conflict",
    arguments: [("notes", Int32(0)), ("text", 1)])
  func preconditionWithoutBody(field: String, status: Int32) throws {
    anna.run("set", "milk", "text=Buy oat milk")
    try server("PATCH", "milk", #"{"\#(field)": "theirs"}"#)
    world.disturbOnce("PATCH", .answer(.answer(412)))
    let met = anna.run("push")
    #expect(met.status == status, "\(met)")
    if status == 1 { #expect(anna.run("resolve", "--client", "milk").status == 0) }
    world.expectCalm()
    let row = try #require(try world.server.rows("milk").first)
    #expect(row["text"] == "Buy oat milk")
    #expect(row["notes"] == (field == "notes" ? "theirs" : "n"))
  }
}
