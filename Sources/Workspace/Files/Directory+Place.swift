import SyncModel

extension Directory {
  /// Finds something below this directory.
  ///
  /// - Parameter place: Names with `/` between them, from anywhere: none is `.` or `..`, and no link is
  ///   followed.
  /// - Returns: The directory that it lies in and its name there; `nil` where the way leads elsewhere,
  ///   or to nothing.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func find(_ place: String) throws(WorkspaceError) -> (directory: Directory, name: String)? {
    var names = place.utf8.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    let isPlain = names.allSatisfy { name in
      !["", ".", ".."].contains(Text(name)) && !name.utf8.contains(0)
    }
    guard isPlain, let last = names.popLast() else { return nil }
    var directory = self
    for name in names {
      guard let child = try directory.existingChild(name) else { return nil }
      directory = child
    }
    return (directory, last)
  }
}
