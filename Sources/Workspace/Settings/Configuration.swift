package import SyncModel

/// The settings of the workspace and of the user; the workspace's take precedence
/// (tsync-config(5)).
package struct Configuration: Sendable {
  /// A value and the file that sets it.
  package struct Entry: Equatable, Sendable {
    /// The value; it is what its setting may be.
    package let value: JSON
    /// The file, as people are shown it.
    package let place: String
    /// The line of the value in the file.
    package let line: Int
  }

  /// The values that count, by name.
  package private(set) var entries: [Text: Entry] = [:]
  /// What a person should know: settings that don't exist, or don't count where they stand.
  package private(set) var warnings: [String] = []

  /// Makes a configuration without any settings.
  package init() {}

  /// Reads the files.
  ///
  /// What runs a program or chooses credentials counts only from the user's file; in the
  /// workspace's it is passed over with a warning.
  ///
  /// - Throws: ``WorkspaceError/setting(place:line:column:fact:)``: a file that can't be read as an
  ///   object, a value that its setting can't have.
  package init(workspace: SettingsFile?, user: SettingsFile?) throws(WorkspaceError) {
    if let user { try add(user, isWorkspace: false) }
    if let workspace { try add(workspace, isWorkspace: true) }
  }

  private mutating func add(_ file: SettingsFile, isWorkspace: Bool) throws(WorkspaceError) {
    let edit = try file.edit()
    for member in edit.object.members {
      let position = edit.error(at: member.name, "")
      let start = "\(file.place):\(position.line): "
      guard let key = SettingKey(member.name) else {
        warnings.append("\(start)there is no setting '\(member.name)'")
        continue
      }
      if isWorkspace, key.isProtected {
        warnings.append("\(start)\(member.name) has effect only in the user's settings")
        continue
      }
      do throws(NameError) {
        try key.check(member.value)
      } catch {
        throw file.fault(edit.error(at: member.name, error.description))
      }
      entries[member.name] = Entry(value: member.value, place: file.place, line: position.line)
    }
  }

  /// Returns the text of a setting; `nil` where it isn't set.
  package func text(_ name: Text) -> Text? { entries[name]?.value.text }
}

// What the settings mean; each has a default where a program needs one.
extension Configuration {
  /// The address of the server.
  package var remote: Text? { text("remote") }

  /// The tables that are kept; without a setting, `todoitem`.
  package var tables: [TableName] {
    let names = entries["tables"]?.value.elements ?? ["todoitem"]
    return names.compactMap(\.text).compactMap { try? TableName($0) }
  }

  /// Whether a pull pushes first.
  package var pullPushes: Bool { entries["pull.push"]?.value.boolean ?? false }

  /// How many seconds before the last pull's beginning the next one begins; `nil` leaves it to the
  /// dialect.
  package var overlap: Int? { entries["pull.overlap"]?.value.integer }

  /// How many rows a request of a pull asks for; `nil` leaves it to the dialect.
  package var page: Int? { entries["pull.page"]?.value.integer }

  /// How many requests a push has in flight; `nil` leaves it to the dialect.
  package var jobs: Int? { entries["push.jobs"]?.value.integer }

  /// After how many seconds of silence a request ends; `nil` leaves it to the transport.
  package var timeout: Int? { entries["timeout"]?.value.integer }

  /// The dialect's name; `nil` where it is to be found out.
  package var dialect: Text? { text("dialect").flatMap { $0 == "auto" ? nil : $0 } }

  /// The field that `tsync done` sets.
  package var doneField: Text { text("done.field") ?? "complete" }

  /// The field that lists show as an item's title; `nil` for `text` or `title`.
  package var titleField: Text? { text("title.field") }

  /// The field that says who wrote a row.
  package var whoField: Text { text("who.field") ?? "updatedBy" }

  /// When output is coloured: `auto`, `always` or `never`.
  package var color: Text { text("color") ?? "auto" }

  /// How items of a table are merged that both sides changed.
  package func policy(of table: TableName) -> MergePolicy {
    var policy = MergePolicy(rule("merge") ?? .fields)
    for name in entries.keys {
      guard let parts = SettingKey.mergeParts(of: name), parts.table == table,
        let rule = rule(name)
      else { continue }
      if let field = parts.field { policy.fields[field] = rule } else { policy.rule = rule }
    }
    return policy
  }

  /// The queries by which tables are pulled, in the order in which they are set.
  package var queries: [Query] {
    entries.sorted { ($0.value.line, $0.key) < ($1.value.line, $1.key) }.compactMap { name, entry in
      SettingKey.queryName(of: name).flatMap { try? SettingKey.query($0, entry.value) }
    }
  }

  private func rule(_ name: Text) -> MergePolicy.Rule? {
    text(name).flatMap { MergePolicy.Rule(rawValue: $0.string) }
  }
}
