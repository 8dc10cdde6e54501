import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace

@Suite struct CredentialsTests {
  let directory = TemporaryDirectory()
  let credentials: Credentials
  private let origin: Text = "https://todo.example.net"
  private let name = "tsync/credentials.json"

  init() throws {
    credentials = Credentials(
      in: try #require(UserDirectory(configHome: directory.path, home: nil)))
  }

  private var mode: mode_t {
    var status = stat()
    return stat(directory.path(of: name), &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test("W2: a token is found by its origin alone, and the file is the user's only")
  func keepsTokens() throws {
    #expect(try credentials.token(for: origin) == nil)
    try credentials.set("secret-1", for: origin)
    try credentials.set("secret-2", for: "http://127.0.0.1:8080")
    #expect(try credentials.token(for: origin) == "secret-1")
    #expect(try credentials.token(for: "https://todo.example.net:444") == nil)
    #expect(try credentials.token(for: "http://todo.example.net") == nil)
    #expect(try credentials.token(for: "http://127.0.0.1:8080") == "secret-2")
    #expect(mode == 0o600)
    try credentials.set("secret-3", for: origin)
    #expect(try credentials.token(for: origin) == "secret-3")
    #expect(try credentials.remove(origin))
    #expect(try !credentials.remove(origin))
    #expect(try credentials.token(for: origin) == nil)
    #expect(directory.names(in: "tsync") == ["credentials.json"])
  }

  @Test("Origins are compared by their bytes")
  func comparesOriginsByBytes() throws {
    try credentials.set("x", for: "https://\u{e9}")
    #expect(try credentials.token(for: "https://e\u{301}") == nil)
  }

  @Test(
    "W6: a file that others can read is refused",
    arguments: [0o644, 0o640, 0o602, 0o610] as [mode_t])
  func refusesOpenFiles(mode: mode_t) throws {
    try credentials.set("secret", for: origin)
    chmod(directory.path(of: name), mode)
    let path = directory.path(of: name)
    #expect(throws: WorkspaceError.exposed(place: path)) {
      try credentials.token(for: origin)
    }
    #expect(throws: WorkspaceError.self) { try credentials.set("other", for: origin) }
  }

  @Test("W6: a file of another user is refused", .enabled(if: geteuid() == 0))
  func refusesForeignFiles() throws {
    try credentials.set("secret", for: origin)
    chown(directory.path(of: name), 65_534, 65_534)
    #expect(
      throws: WorkspaceError.credentials(
        place: directory.path(of: name), fact: "belongs to another user")
    ) { try credentials.token(for: origin) }
  }

  @Test(
    "A file that is no object of tokens is refused",
    arguments: [
      "[]", "{", "{\"a\": 1}", "{\"a\": \"x y\"}", "{\"a\": \"x\\r\\nEvil: 1\"}", "{\"a\": \"\"}",
    ])
  func refusesOtherFiles(text: String) throws {
    directory.write(text, to: name)
    #expect(throws: WorkspaceError.self) { try credentials.token(for: origin) }
  }

  @Test(
    "A token that can't stand in a header field is refused",
    arguments: ["", "a b", "a\r\nX-Evil: 1", "t\u{e9}", "\u{7F}", "a\u{0}"] as [Text])
  func refusesTokens(token: Text) {
    #expect(throws: WorkspaceError.self) { try credentials.set(token, for: origin) }
    #expect(directory.names(in: "tsync") == [])
  }

  @Test("A token's file holds one line", arguments: ["secret", "secret\n", "secret\r\n"])
  func readsTokenFiles(text: String) throws {
    directory.write(text, to: "token")
    #expect(try Credentials.token(inFile: directory.path(of: "token")) == "secret")
  }

  @Test("A token's file is read through a link, and checked where it lies")
  func readsLinkedTokenFiles() throws {
    directory.write("secret", to: "real")
    #expect(symlink(directory.path(of: "real"), directory.path(of: "link")) == 0)
    #expect(try Credentials.token(inFile: directory.path(of: "link")) == "secret")
    chmod(directory.path(of: "real"), 0o644)
    #expect(throws: WorkspaceError.self) {
      try Credentials.token(inFile: directory.path(of: "link"))
    }
  }
}
