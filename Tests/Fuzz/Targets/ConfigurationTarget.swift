@testable import SyncModel
@testable import Workspace

/// The settings files: an input is the user's, a byte 0, the workspace's, a byte 0, and a value as
/// it is typed for `tsync config`.
enum ConfigurationTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
      .map(Array.init)
    let user = SettingsFile(place: "user", text: parts[0])
    let workspace = SettingsFile(place: "workspace", text: parts.count > 1 ? parts[1] : nil)
    if let configuration = try? Configuration(workspace: workspace, user: user) {
      try check(configuration)
    }
    guard parts.count == 3, let typed = Text(validating: parts[2]) else { return }
    for name in SettingKey.names + ["merge.todoitem", "merge.todoitem.text"] {
      guard let key = SettingKey(name) else {
        throw Finding(description: "there is no setting \(name)")
      }
      if let value = try? key.value(from: typed) { try set(key, value, in: user) }
      try set(key, nil, in: user)
    }
  }

  /// Makes sure that every setting has a value it may have, from a file that may give it.
  private static func check(_ configuration: Configuration) throws(Finding) {
    for (name, entry) in configuration.entries {
      guard let key = SettingKey(name) else {
        throw Finding(description: "there is no setting \(name)")
      }
      try ensure((try? key.check(entry.value)) != nil, "\(name) has \(entry.value)")
      try ensure(entry.line >= 1, "\(name) stands in line \(entry.line)")
      let isUsers = Text(entry.place) == "user"
      try ensure(isUsers || !guarded.contains(name), "\(name) came from the workspace")
    }
    try ensure(!configuration.tables.isEmpty, "there are no tables")
    if let page = configuration.page { try ensure((1...1_000).contains(page), "a page") }
    if let jobs = configuration.jobs { try ensure((1...128).contains(jobs), "jobs") }
    if let overlap = configuration.overlap { try ensure(overlap >= 0, "an overlap") }
    if let remote = configuration.remote {
      let bytes = remote.bytes
      let authority =
        bytes.split(separator: UInt8(ascii: "/"), maxSplits: 2).dropFirst().first ?? []
      try ensure(bytes.allSatisfy { (0x21...0x7E).contains($0) }, "an address \(shown(bytes))")
      try ensure(!authority.contains(UInt8(ascii: "@")), "a name in \(shown(bytes))")
    }
    if let table = configuration.tables.first { _ = configuration.policy(of: table) }
  }

  /// Sets one value, and makes sure that it is there and that nothing else has changed.
  private static func set(
    _ key: SettingKey, _ value: JSON?, in file: SettingsFile
  ) throws(Finding) {
    var changed = file
    guard (try? changed.set(key, to: value)) != nil else {
      let isObject = (try? file.edit()) != nil
      try ensure(!isObject || value == nil, "\(key.name) can't be set to its own value")
      try ensure(changed == file, "a failed setting has changed the file")
      return
    }
    guard let old = try? file.edit().object, let new = try? changed.edit().object else {
      throw Finding(description: "no object once set: \(shown(changed.text))")
    }
    try ensure(new[key.name] == value, "\(key.name) was not set: \(shown(changed.text))")
    let others = { (object: JSONObject) in
      JSON.object(JSONObject(object.members.filter { $0.name != key.name })).encoded()
    }
    try ensure(others(old) == others(new), "more than \(key.name) was set: \(shown(changed.text))")
  }

  /// What runs a program or chooses credentials.
  private static let guarded: [Text] = [
    "credential.command", "editor", "pager", "resolve.command", "resolve.tool",
  ]
}
