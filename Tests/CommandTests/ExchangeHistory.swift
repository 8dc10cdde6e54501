import CommandSupport
import Glibc
import TestSupport

/// What anna and ben do with the same rows, up to an exchange of anna's, which is rehearsed first.
struct ExchangeHistory: CustomStringConvertible {
  /// Something that one of them does.
  private enum Step {
    case run([String])
    case write(String, as: String)
    case remove(String)
    case move(String, to: String)
  }

  /// The steps, and who takes each.
  private var steps: [(who: String, step: Step)] = []
  /// Anna's exchange.
  private(set) var words: [String]
  private var random: SplitMix64
  /// An item whose file anna has broken or moved.
  private var broken: String?
  /// The tables; items of the second one have ids that begin with n.
  let tables: [String]
  /// Whether anna's workspace begins without the server's rows.
  private let isEmpty: Bool

  /// Draws a history that ends with `pull`, `push` or `sync`.
  init(_ word: String, seed: UInt64) {
    var dice = SplitMix64(seed: ~seed)
    tables = dice.once(in: 3) ? ["todoitem", "note"] : ["todoitem"]
    isEmpty = dice.once(in: 4)
    (words, random) = ([word], SplitMix64(seed: seed))
    if tables.count > 1 {
      for number in 0..<3 { anna(.write(#"{"text": "Note", "tags": [1]}"#, as: "n\(number)")) }
    }
    for number in 0..<2 + random.below(3) {
      let item = #"{"id": "i\#(number)", "text": "Item", "notes": "0\n1\n2\n", "tags": [1]}"#
      anna(.write(item, as: "i\(number)"))
    }
    anna(.run(["push"]))
    ben(.run(["pull"]))
    if random.once(in: 3) { setRule() }
    let isQueried = random.once(in: 6)
    if isQueried { anna(.run(["query", "add", "q", "n.lt=2"])) }
    for _ in 0..<1 + random.below(4) {
      switch random.below(10) {
      case 0...3: work("anna")
      case 4...6: work("ben")
      case 7: exchange(random.once(in: 2) ? "anna" : "ben")
      case 8: setRule()
      default: if random.once(in: 3) { removeMany(random.once(in: 2) ? "anna" : "ben") }
      }
    }
    switch random.below(6) {
    case 0, 1: breakFile()
    case 2, 3: changeBoth()
    case 4: makeAgain()
    default: break
    }
    for _ in 0..<random.below(2) { work("ben") }
    ben(.run(["push"]))
    for _ in 0..<random.below(3) { work("anna") }
    // A push learns from the answers only what others have sent, and what became of a row that it deleted.
    if word == "push" { anna(.run(["pull"])) }
    mendFile()
    for _ in 0..<random.below(2) { work("anna") }
    addOptions(isQueried: isQueried)
  }

  /// The command lines and what is done by hand, a line for each.
  var description: String {
    let begin =
      "\(tables.joined(separator: ", ")); anna begins \(isEmpty ? "empty" : "with a clone")"
    return
      ([begin]
      + steps.map { who, step in
        switch step {
        case .run(let words): "\(who)$ tsync \(words.joined(separator: " "))"
        case .write(let text, let name): "\(who)$ echo '\(text.prefix(80))' >\(name).json"
        case .remove(let name): "\(who)$ rm \(name).json"
        case .move(let name, let other): "\(who)$ mv \(name).json \(other).json"
        }
      } + ["anna$ tsync \(words.joined(separator: " "))"]).joined(separator: "\n")
  }

  /// Does all of it but the exchange; returns anna.
  func play(at url: String) -> Person {
    let people = ["anna", "ben"].map { name in
      let person = Person(in: TemporaryDirectory(inMemory: true))
      let isEmpty = isEmpty && name == "anna"
      person.run(
        (isEmpty ? ["init", "--remote", url] : ["clone", url]) + ["list"]
          + tables.flatMap { ["-t", $0] })
      return (name, person)
    }
    let person = Dictionary(people, uniquingKeysWith: { $1 })
    for (who, step) in steps {
      guard let person = person[who] else { continue }
      func file(_ name: String) -> String {
        "list/.todosync/items/\(name.hasPrefix("n") ? "note" : "todoitem")/\(name).json"
      }
      func path(_ name: String) -> String { person.directory.path(of: file(name)) }
      switch step {
      case .run(let words): person.run(words)
      case .write(let text, let name): person.directory.write(text, to: file(name))
      case .remove(let name): unlink(path(name))
      case .move(let name, let other): rename(path(name), path(other))
      }
    }
    let anna = people[0].1
    // What is written from here on is newer: files are sent in the order of their times.
    anna.directory.write("", to: "tick")
    anna.directory.awaitTick(of: "tick")
    return anna
  }

  // MARK: Drawing

  private mutating func anna(_ step: Step) { steps.append(("anna", step)) }
  private mutating func ben(_ step: Step) { steps.append(("ben", step)) }

  private mutating func id() -> String {
    tables.count > 1 && random.once(in: 2) ? "n\(random.below(3))" : "i\(random.below(5))"
  }
  private mutating func text() -> String { ["One", "Two", "Three"][random.below(3)] }

  /// Three lines, of which some are changed.
  private mutating func lines() -> [String] {
    (0..<3).map { "\($0)" + (random.once(in: 4) ? text() : "") }
  }

  private mutating func field() -> String {
    switch random.below(4) {
    case 0: "text=\(text())"
    case 1: "notes=" + lines().map { "\($0)\n" }.joined()
    case 2: "tags:=[1,\(random.below(3))]"
    default: "n=\(random.below(3))"
    }
  }

  private mutating func json(_ id: String) -> String {
    var members = [#""text": "\#(text())""#]
    if random.once(in: 2) { members.insert(#""id": "\#(id)""#, at: 0) }
    if random.once(in: 2) { members.append(#""n": \#(random.below(3))"#) }
    if random.once(in: 2) {
      members.append(#""notes": ""# + lines().map { #"\#($0)\n"# }.joined() + #"""#)
    }
    return "{\(members.joined(separator: ", "))}"
  }

  /// Somebody changes an item, by a command or by hand.
  private mutating func work(_ who: String) {
    let id = id()
    let step: Step
    switch random.below(20) {
    case 0...2:
      let table = id.hasPrefix("n") ? "note" : "todoitem"
      step = .run(["new", "-t", table, "-s", "id=\(id)", "-s", field(), text()])
    case 3...6: step = .run(["set", id, field(), field()])
    case 7, 8: step = .run(["rm", id])
    case 9: step = .run(["mv", id, random.once(in: 2) ? "m\(random.below(3))" : self.id()])
    case 10...12: step = .write(json(id), as: id)
    case 13: step = .remove(id)
    case 14: step = .write("{", as: id)
    case 15: step = .move(id, to: random.once(in: 2) ? "x" : self.id())
    case 16: step = .move("x", to: id)
    case 17:
      step = .run(["resolve", id, ["--client", "--server", "--both"][random.below(3)]])
    case 18: step = .run(random.once(in: 2) ? ["undo"] : ["restore", id])
    // No server takes this; what only the server refuses is not known before.
    default: step = .write(#"{"text": "\#(text())", "n": 1, "N": 2}"#, as: id)
    }
    steps.append((who, step))
  }

  private mutating func exchange(_ who: String) {
    steps.append((who, .run([["pull", "push", "sync"][random.below(3)]])))
  }

  private mutating func setRule() {
    let key = ["merge", "merge.todoitem", "merge.todoitem.text", "merge.todoitem.notes"]
    let rule = ["fields", "manual", "client", "server"]
    anna(.run(["config", key[random.below(4)], rule[random.below(4)]]))
  }

  private mutating func removeMany(_ who: String) {
    let (isByHand, first) = (random.once(in: 2), tables.count > 1 && random.once(in: 2) ? "n" : "i")
    for number in 0..<2 + random.below(3) {
      steps.append(
        (who, isByHand ? .remove("\(first)\(number)") : .run(["rm", "\(first)\(number)"])))
    }
  }

  /// Anna's file is no item when a row comes for it, and is one later.
  private mutating func breakFile() {
    let id = id()
    anna(random.once(in: 3) ? .move(id, to: "x") : .write("{", as: id))
    func change() -> Step { .run(random.once(in: 2) ? ["rm", id] : ["set", id, field()]) }
    ben(change())
    ben(.run(["push"]))
    anna(.run(["pull"]))
    if random.once(in: 3) { ben(change()) }
    if random.once(in: 2) { setRule() }
    broken = id
  }

  private mutating func mendFile() {
    guard let id = broken, !random.once(in: 4) else { return }
    anna(random.once(in: 4) ? .move("x", to: id) : .write(json(id), as: id))
  }

  /// Both change an item, and anna another one after it or before.
  private mutating func changeBoth() {
    let (one, other) = ("i\(random.below(2))", "i\(random.below(2))")
    anna(.run(["set", one, field(), field()]))
    anna(.run(["set", other, field()]))
    ben(.run(["set", one, field()]))
  }

  /// Anna makes an item by hand whose row is deleted: hers, or one that she has never received.
  private mutating func makeAgain() {
    let (id, isOwn) = (id(), random.once(in: 2))
    let who = isOwn ? "anna" : "ben"
    if !isOwn {
      steps.append(
        (
          who,
          .run(["new", "-t", id.hasPrefix("n") ? "note" : "todoitem", "-s", "id=\(id)", "New"])
        ))
    }
    steps.append((who, .run(["push"])))
    steps.append((who, .run(["rm", id])))
    steps.append((who, .run(["push"])))
    if !isOwn { anna(.run(["pull"])) }
    anna(.write(json(id), as: id))
  }

  private mutating func addOptions(isQueried: Bool) {
    if words == ["pull"] {
      if random.once(in: 5) { words.append("--full") }
      if isQueried, random.once(in: 4) { words += ["--query", "q"] }
    }
    if words == ["push"], random.once(in: 4) { words += [id(), id()] }
    if random.once(in: words[0] == "pull" ? 2 : 4) { words.append("-v") }
    if random.once(in: 12) { words += ["--max-delete", "\([0, 2, 9][random.below(3)])"] }
  }
}
