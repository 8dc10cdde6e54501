import CommandSupport
import Commands
import Glibc
import Remote
import SyncModel
import Synchronization
import TestSupport
import Testing

/// The token of an origin, followed through a whole story of hostile answers.
@Suite(.onThreads) struct SecretCases {
  private static let canary = "canary-7Qx+Z/91=pq.tt~0123456789abcdefXYZ"

  /// The token as it is, percent-encoded, and in base64 behind none, one and two other bytes, each
  /// without the letters that its neighbours decide.
  private static var traces: [[UInt8]] {
    let encoded = canary.utf8.map { byte -> String in
      let isPlain = "-._~".utf8.contains(byte) || byte.isASCIIAlphanumeric
      return isPlain ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
    }
    let packed = (0..<3).map { count in
      let text = base64(Array(repeating: 0x41, count: count) + Array(canary.utf8))
      return Array(text.dropFirst(count == 0 ? 0 : count + 1).dropLast(4))
    }
    let urlSafe = packed.map { text in
      text.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
    }
    let small = encoded.map { $0.utf8.count == 3 ? $0.lowercased() : $0 }
    return [Array(canary.utf8), Array(encoded.joined().utf8), Array(small.joined().utf8)] + packed
      + urlSafe
  }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let number = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0...group.count { text.append(letters[number >> (18 - 6 * place) & 63]) }
    }
    return text
  }

  private static func isFound(in bytes: [UInt8]) -> Bool {
    traces.contains { bytes.firstRange(of: $0) != nil }
  }

  @Test("the traces of a token are found where they are")
  func findsTraces() {
    #expect(Self.base64(Array("Hello".utf8)) == Array("SGVsbG8".utf8))
    #expect(Self.traces.count == 9)
    for prefix in ["", "x", "xy", "Basic "] {
      #expect(Self.isFound(in: Self.base64(Array("\(prefix)\(Self.canary)".utf8))))
    }
    #expect(Self.isFound(in: Array("a\(Self.canary)b".utf8)))
    #expect(!Self.isFound(in: Array(Self.canary.utf8.dropLast(1))))
  }

  /// An answer that has a text wherever it may have one.
  private static func answer(_ status: Int, saying echo: String) -> ScriptedReply {
    let body = #"{"error": "no \#(echo) for you", "id": "\#(echo)"}"#
    return .answer(
      status,
      [("Content-Type", "application/json"), ("Location", "/\(echo)"), ("Echo", echo)],
      body: Array(body.utf8))
  }

  @Test(
    "cases 36, 109, 110, S7, S8, S9, S20: a token is told to its origin and to nobody and nothing else"
  )
  func story() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Buy milk"}"#)
    let trap = try ScriptedServer { _ in .json(#"{"items": []}"#) }
    let anna = world.anna
    let trace = anna.directory.path(of: "trace")
    anna.directory.write("\(Self.canary)\n", to: "token")
    var told: [String] = []
    func run(_ words: String..., status: Int32) {
      let outcome = anna.run(words + ["--trace", trace, "-v"])
      #expect(outcome.status == status, "\(words) \(outcome)")
      told += [outcome.output, outcome.error]
    }
    run("remote", "login", "--token-file", anna.directory.path(of: "token"), status: 0)
    run("pull", status: 0)
    // Redirections, links to another port, and a server that says the token again in every form.
    let plain = Self.traces.prefix(3).map { String(decoding: $0, as: UTF8.self) }
    let packed = ["", "a:", "Bearer "].map {
      String(decoding: Self.base64(Array("\($0)\(Self.canary)".utf8)), as: UTF8.self)
    }
    let urlSafe = packed.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
    let echoes = plain + packed + urlSafe
    for status in [301, 302, 303, 307, 308] {
      world.disturb { _ in .answer(.answer(status, [("Location", "\(trap.url)/tables/todoitem")])) }
      run("pull", status: 5)
      run("set", "milk", "text=Text \(status)", status: 0)
      run("push", status: 5)
    }
    let page = world.reply(
      #"{"items": [], "count": 9, "nextLink": "\#(trap.url)/tables/todoitem?$skip=1"}"#)
    world.disturb {
      $0.method == "GET" && !$0.target.contains("/milk") ? .answer(page) : .forward
    }
    run("pull", status: 0)
    for (status, echo) in [400, 401, 403, 409, 500, 503, 200].flatMap({ status in
      echoes.map { (status, $0) }
    }) {
      world.disturb { _ in .answer(Self.answer(status, saying: echo)) }
      run("set", "milk", "text=Text \(status) \(told.count)", status: 0)
      // What answers nothing else can't be told from another server.
      let expected: Int32 = status == 401 || status == 403 ? 4 : status == 200 ? 6 : 5
      run("push", status: expected)
      run("pull", status: expected)
    }
    // The words of a refusal are kept and shown.
    for (status, echo) in [400, 403].flatMap({ status in echoes.map { (status, $0) } }) {
      world.disturb {
        $0.method == "GET" ? .forward : .answer(Self.answer(status, saying: echo))
      }
      run("set", "milk", "text=Text \(status) \(told.count)", status: 0)
      run("push", status: 3)
      run("status", status: 0)
    }
    world.calm()
    for words in [
      ["status"], ["journal"], ["list"], ["show", "milk"], ["remote", "show"], ["config"],
    ] {
      let outcome = anna.run(words + ["--json"])
      #expect(outcome.status == 0, "\(words) \(outcome)")
      told += [outcome.output, outcome.error]
    }
    run("set", "milk", "text=Last", status: 0)
    run("push", status: 0)
    // No redirection and no link has brought anybody there.
    #expect(trap.connectionCount == 0)
    // Another origin gets its own token or none; so does the same host at another port.
    run("remote", "set", trap.url, status: 0)
    run("new", "-s", "id=tea", "Tea", status: 0)
    // It answers with a list, whatever is asked.
    run("pull", status: 5)
    run("push", status: 5)
    // The origin has seen it, so the rest of this test means something.
    #expect(world.line.requests.contains { Self.isFound(in: $0.raw) })
    #expect(trap.requests.count > 0)
    for request in trap.requests { #expect(!Self.isFound(in: request.raw)) }
    for text in told { #expect(!Self.isFound(in: Array(text.utf8)), "\(text)") }
    let traced = try #require(anna.directory.read("trace"))
    #expect(traced.count > 1_000 && !Self.isFound(in: traced))
    let files = anna.directory.allFiles(in: "list")
    #expect(files.count > 3)
    for name in files {
      #expect(try !Self.isFound(in: #require(anna.directory.read(name))), "\(name)")
    }
  }

  @Test("cases 110, P8: a token stands in no command line, and not in what a proxy is told")
  func processes() throws {
    let anna = Person()
    let (lines, proxy) = (CommandLines(), try ScriptedServer { _ in .answer(407) })
    let server = try ScriptedServer { _ in
      lines.look()
      return .json("{}", status: 503)
    }
    anna.directory.write("\(Self.canary)\n", to: "token")
    anna.directory.write("echo '\(Self.canary)'", to: "fetch")
    anna.environment = [
      ("https_proxy", proxy.url), ("TSYNC_TRACE", anna.directory.path(of: "trace")),
    ]
    var told = ""
    func run(_ words: String..., status: Int32) throws {
      // What is said on standard error is searched, too.
      let outcome = try ChildProcess(
        [Programs.path(of: "tsync")] + words, in: anna.directory.path, anna.variables
      ).outcome()
      #expect(outcome.status == status, "\(words) \(outcome.text)")
      told += outcome.text
    }
    try run("init", "--remote", server.url, "list", status: 0)
    let file = anna.directory.path(of: "token")
    try run("-C", "list", "remote", "login", "--token-file", file, status: 0)
    try run("-C", "list", "pull", status: 5)
    #expect(server.requests.contains { Self.isFound(in: $0.raw) })
    // A command that knows the token is told the origin, and tells nobody else.
    let fetch = "sh \(anna.directory.path)/fetch"
    try run("-C", "list", "config", "--user", "credential.command", fetch, status: 0)
    try run("-C", "list", "pull", status: 5)
    try run("-C", "list", "remote", "set", "https://todo.invalid", status: 0)
    try run("-C", "list", "pull", status: 5)
    #expect(proxy.requests.map(\.method).contains("CONNECT"))
    for request in proxy.requests { #expect(!Self.isFound(in: request.raw)) }
    #expect(
      lines.texts.contains { $0.firstRange(of: Array(Programs.path(of: "tsync").utf8)) != nil })
    for text in lines.texts { #expect(!Self.isFound(in: text)) }
    // Standard error is among it.
    #expect(told.contains("tsync: pull: "))
    #expect(!Self.isFound(in: Array(told.utf8)))
    let traced = try #require(anna.directory.read("trace"))
    #expect(traced.firstRange(of: Array("GET ".utf8)) != nil && !Self.isFound(in: traced))
  }
}

/// The command lines of the processes that run while a server is asked.
private final class CommandLines: Sendable {
  private let seen = Mutex<[[UInt8]]>([])

  var texts: [[UInt8]] { seen.withLock { $0 } }

  /// Reads the command lines of all processes.
  func look() {
    guard let stream = opendir("/proc") else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.utf8.first.map({ (0x31...0x39).contains($0) }) == true else { continue }
      let descriptor = open("/proc/\(name)/cmdline", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 { seen.withLock { $0.append(Array(buffer[..<count])) } }
    }
  }
}

extension UInt8 {
  fileprivate var isASCIIAlphanumeric: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
  }
}

extension TemporaryDirectory {
  /// Returns the names of all files in a directory in it, whatever depth they lie in.
  fileprivate func allFiles(in name: String) -> [String] {
    names(in: name).flatMap { inner -> [String] in
      let place = "\(name)/\(inner)"
      var status = stat()
      guard lstat(path(of: place), &status) == 0 else { return [] }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: return allFiles(in: place)
      case S_IFREG: return [place]
      default: return []
      }
    }
  }
}
