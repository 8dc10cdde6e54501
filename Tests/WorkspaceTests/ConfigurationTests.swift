import Glibc
import SyncModel
import TestSupport
import Testing

@testable import Workspace

@Suite struct ConfigurationTests {
  private func file(_ text: String, _ place: String = "config.json") -> SettingsFile {
    SettingsFile(place: place, text: Array(text.utf8))
  }

  @Test("Without files, everything has its default")
  func hasDefaults() throws {
    let configuration = try Configuration(workspace: nil, user: nil)
    #expect(configuration.tables == [try TableName("todoitem")])
    #expect(configuration.doneField == "complete")
    #expect(configuration.color == "auto")
    #expect(!configuration.pullPushes)
    #expect(configuration.remote == nil)
    #expect(configuration.policy(of: try TableName("todoitem")) == MergePolicy())
  }

  @Test("The workspace's value goes before the user's, and each knows where it comes from")
  func ordersFiles() throws {
    let configuration = try Configuration(
      workspace: file("{\n  \"color\": \"never\"\n}", ".todosync/config.json"),
      user: file("{\"color\": \"always\", \"done.field\": \"done\"}", "~/config.json"))
    #expect(
      configuration.entries["color"]
        == Configuration.Entry(value: "never", place: ".todosync/config.json", line: 2))
    #expect(
      configuration.entries["done.field"]
        == Configuration.Entry(value: "done", place: "~/config.json", line: 1))
    #expect(configuration.color == "never")
    #expect(configuration.doneField == "done")
  }

  @Test(
    "W1: what runs a program or chooses credentials counts only from the user's side",
    arguments: ["editor", "pager", "resolve.command", "resolve.tool", "credential.command"])
  func protects(name: Text) throws {
    let text = "{\n  \"\(name)\": \"evil\"\n}"
    let configuration = try Configuration(
      workspace: file(text), user: file("{\"\(name)\": \"mine\"}"))
    #expect(configuration.text(name) == "mine")
    #expect(
      configuration.warnings == ["config.json:2: \(name) counts only in the user's own settings"])
    #expect(try Configuration(workspace: file(text), user: nil).text(name) == nil)
  }

  @Test("W1: a protected value in a workspace is not even checked, so that it can't stop anybody")
  func ignoresProtectedValues() throws {
    let configuration = try Configuration(workspace: file("{\"editor\": 7}"), user: nil)
    #expect(configuration.entries.isEmpty)
  }

  @Test("A setting that doesn't exist is warned of")
  func warnsOfTheUnknown() throws {
    let configuration = try Configuration(
      workspace: file("{\n\"pul.push\": true,\n\"merge.to do\": 1}"), user: nil)
    #expect(
      configuration.warnings == [
        "config.json:2: there is no setting 'pul.push'",
        "config.json:3: there is no setting 'merge.to do'",
      ])
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
      (#"{"tables": "todoitem"}"#, "config.json:1:12: tables must be a list of tables' names"),
      (#"{"tables": ["../x"]}"#, "config.json:1:12: tables must be a list of tables' names"),
      (#"{"tables": []}"#, "config.json:1:12: tables must be a list of tables' names"),
      (#"{"title.field": ""}"#, "config.json:1:17: title.field must be a text"),
      (
        #"{"dialect": "odata"}"#,
        "config.json:1:13: dialect must be one of auto, mobile-services, mobile-apps, datasync, community-toolkit"
      ),
      (
        #"{"remote": "ftp://h"}"#,
        "config.json:1:12: remote must be an address that begins with http:// or https://, without a user's name"
      ),
      (
        #"{"remote": "http://me:secret@h/"}"#,
        "config.json:1:12: remote must be an address that begins with http:// or https://, without a user's name"
      ),
      (
        #"{"remote": "http://h/\n"}"#,
        "config.json:1:12: remote must be an address that begins with http:// or https://, without a user's name"
      ),
      ("{\n\"color\": auto}", "config.json:2:10: expected a value"),
      ("[]", "config.json:1:1: expected an object"),
      (
        #"{"color": "auto", "color": "never"}"#, "config.json:1:19: the member 'color' stands twice"
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

  @Test("Setting a value keeps the rest of the text")
  func setsValues() throws {
    var settings = file("{\n    \"remote\": \"http://a\",\n    \"x\": 1.0\n}\n")
    let jobs = try #require(SettingKey("push.jobs"))
    try settings.set(jobs, to: jobs.value(from: "4"))
    #expect(
      settings.text
        == Array(
          "{\n    \"remote\": \"http://a\",\n    \"x\": 1.0,\n    \"push.jobs\": 4\n}\n".utf8))
    try settings.set(try #require(SettingKey("remote")), to: nil)
    #expect(settings.text == Array("{\n    \"x\": 1.0,\n    \"push.jobs\": 4\n}\n".utf8))
    #expect(throws: WorkspaceError.self) { try settings.set(jobs, to: "many") }
  }

  @Test("A new file is an object over lines")
  func beginsFiles() throws {
    var settings = SettingsFile(place: "", text: nil)
    try settings.set(try #require(SettingKey("color")), to: "never")
    #expect(settings.text == Array("{\n  \"color\": \"never\"\n}\n".utf8))
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

  @Test("The user's settings are read and written, the directories made as they are needed")
  func keepsTheUsersSettings() throws {
    let directory = TemporaryDirectory()
    let user = try #require(UserDirectory(configHome: directory.path(of: "a/b"), home: nil))
    var settings = try user.settings()
    try settings.set(try #require(SettingKey("editor")), to: "vim")
    try user.write(settings)
    #expect(try user.settings().text == Array("{\n  \"editor\": \"vim\"\n}\n".utf8))
    #expect(settings.place == directory.path(of: "a/b/tsync/config.json"))
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
