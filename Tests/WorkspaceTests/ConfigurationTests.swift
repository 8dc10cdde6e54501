import Glibc
import SyncModel
import TestSupport
import Testing
import Workspace

@Suite struct ConfigurationTests {
  private func file(_ text: String, _ place: String = "config.json") -> SettingsFile {
    SettingsFile(place: place, text: Array(text.utf8))
  }

  @Test("The workspace's value goes before the user's, and each knows where it comes from")
  func ordersFiles() throws {
    let configuration = try Configuration(
      workspace: file("{\n  \"color\": \"never\"\n}", ".todosync/config.json"),
      user: file("{\"color\": \"always\", \"done.field\": \"done\"}", "~/config.json"))
    let (color, done) = (configuration.entries["color"], configuration.entries["done.field"])
    #expect(color?.place == ".todosync/config.json" && color?.line == 2)
    #expect(done?.place == "~/config.json" && done?.line == 1)
    #expect(configuration.color == "never")
    #expect(configuration.doneField == "done")
  }

  @Test("W1: a protected value in a workspace is not even checked, so that it can't stop anybody")
  func ignoresProtectedValues() throws {
    let configuration = try Configuration(workspace: file("{\"editor\": 7}"), user: nil)
    #expect(configuration.entries.isEmpty)
  }

  @Test(
    "A value that its setting can't have is named with its place",
    arguments: [
      (#"{"pull.push": "yes"}"#, "config.json:1:15: pull.push must be true or false"),
      (
        "{\n  \"push.jobs\": 0\n}",
        "config.json:2:16: push.jobs must be a whole number from 1 to 128"
      ),
      (#"{"push.jobs": 1.5}"#, "config.json:1:15: push.jobs must be a whole number from 1 to 128"),
      (
        #"{"merge": "manul"}"#,
        "config.json:1:11: merge must be one of fields, manual, client, server"
      ),
      (
        #"{"merge.todoitem.notes": "union"}"#,
        "config.json:1:26: merge.todoitem.notes must be one of fields, manual, client, server"
      ),
      (#"{"tables": "todoitem"}"#, "config.json:1:12: tables must be a list of table names"),
      (#"{"tables": ["../x"]}"#, "config.json:1:12: tables must be a list of table names"),
      (#"{"tables": []}"#, "config.json:1:12: tables must be a list of table names"),
      (#"{"title.field": ""}"#, "config.json:1:17: title.field must be a non-empty string"),
      (
        #"{"dialect": "odata"}"#,
        "config.json:1:13: dialect must be one of auto, mobile-services, mobile-apps, datasync, community-toolkit"
      ),
      (
        #"{"remote": "ftp://h"}"#,
        "config.json:1:12: remote must be an address that begins with http:// or https://, without a user name"
      ),
      (
        #"{"remote": "http://me:secret@h/"}"#,
        "config.json:1:12: remote must be an address that begins with http:// or https://, without a user name"
      ),
      (
        #"{"remote": "http://h/\n"}"#,
        "config.json:1:12: remote must be an address that begins with http:// or https://, without a user name"
      ),
      ("{\n\"color\": auto}", "config.json:2:10: expected a value"),
      ("[]", "config.json:1:1: expected an object"),
      (
        #"{"color": "auto", "color": "never"}"#,
        "config.json:1:19: 'color' appears twice in the object"
      ),
    ])
  func namesFaults(text: String, expected: String) {
    let error = #expect(throws: WorkspaceError.self) {
      try Configuration(workspace: self.file(text), user: nil)
    }
    #expect(error.map { "\($0)" } == expected)
  }

  @Test("A table's and a field's rule go before the general one")
  func readsPolicies() throws {
    let (todo, other) = (try TableName("todoitem"), try TableName("other"))
    let configuration = try Configuration(
      workspace: file(
        #"{"merge": "manual", "merge.todoitem": "server", "merge.todoitem.a.b": "client"}"#),
      user: file(#"{"merge.other.x": "fields"}"#))
    #expect(configuration.policy(of: todo) == MergePolicy(.server, fields: ["a.b": .client]))
    #expect(configuration.policy(of: other) == MergePolicy(.manual, fields: ["x": .fields]))
  }

  @Test(
    "A word of a command line becomes the value of its setting's type",
    arguments: [
      ("tables", "todoitem,other", ["todoitem", "other"]), ("pull.push", "true", true),
      ("push.jobs", "32", 32), ("color", "never", "never"), ("merge.todoitem", "client", "client"),
      ("editor", "vim -f", "vim -f"), ("remote", "http://127.0.0.1:8080", "http://127.0.0.1:8080"),
    ] as [(Text, Text, JSON)])
  func readsWords(name: Text, word: Text, value: JSON) throws {
    #expect(try #require(SettingKey(name)).value(from: word) == value)
  }

  @Test(
    "A word that can't be a value is refused",
    arguments: [
      ("pull.push", "yes"), ("push.jobs", "x"), ("push.jobs", "0"), ("tables", ""),
      ("color", "blue"), ("editor", ""), ("remote", "host"), ("remote", "http://"),
    ] as [(Text, Text)])
  func refusesWords(name: Text, word: Text) throws {
    let key = try #require(SettingKey(name))
    #expect(throws: NameError.self) { try key.value(from: word) }
  }

  @Test(
    "Only known names are settings", arguments: ["", "merge.", "merge.9", "merge.t.", "Editor"])
  func knowsItsNames(name: Text) {
    #expect(SettingKey(name) == nil)
  }

  @Test("The user's directory follows the XDG variables")
  func findsTheUsersDirectory() {
    #expect(UserDirectory(configHome: "/x", home: "/h")?.path == "/x/tsync")
    #expect(UserDirectory(configHome: nil, home: "/h")?.path == "/h/.config/tsync")
    #expect(UserDirectory(configHome: "", home: "/h")?.path == "/h/.config/tsync")
    #expect(UserDirectory(configHome: "relative", home: "/h")?.path == "/h/.config/tsync")
    #expect(UserDirectory(configHome: nil, home: nil) == nil)
  }

  @Test("The user's settings may be a link to where they are kept")
  func followsTheUsersLink() throws {
    let directory = TemporaryDirectory()
    directory.write("{}", to: "dotfiles/tsync.json")
    directory.write("", to: "tsync/x")
    let link = directory.path(of: "tsync/config.json")
    #expect(symlink(directory.path(of: "dotfiles/tsync.json"), link) == 0)
    let user = try #require(UserDirectory(configHome: directory.path, home: nil))
    var settings = try user.settings()
    try settings.set(try #require(SettingKey("color")), to: "never")
    try user.write(settings)
    #expect(directory.text("dotfiles/tsync.json") == "{\n  \"color\": \"never\"\n}")
  }
}
