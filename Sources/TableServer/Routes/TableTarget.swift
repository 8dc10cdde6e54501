import FoundationEssentials
package import SyncModel

/// What a request's path and query name.
package struct TableTarget: Equatable, Sendable {
  /// The table.
  package let table: TableName
  /// The rows that are meant: everybody's.
  var scope: Scope { Scope(table) }
  /// The item; `nil` for the whole table.
  package let id: ItemID?
  /// The options.
  package let query: QueryString

  /// Reads a request's target.
  ///
  /// It is `/tables/NAME`, `/tables/NAME/` or `/tables/NAME/ID`, with the options after a `?`.
  /// Escapes are decoded once, after the path was parted. The path may write the names of `tables`
  /// in any letter case. Where the options begin with the path's own URL and `?`, those after it count: so
  /// the .NET client of the Community Toolkit follows a link.
  ///
  /// - Throws: `TableError` for a path where nothing is, or that holds no id.
  package init(
    _ target: String, tables: [TableName], at origin: RequestOrigin
  ) throws(TableError) {
    guard target.utf8.count <= ServedLimits.target else { throw .targetTooLong }
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
    let own = origin.url(String(Substring(path))) + "?"
    var options = target.utf8.dropFirst(path.count + 1)
    while Text(decoding: options.prefix(own.utf8.count)).isEqual(anyCase: own) {
      options = options.dropFirst(own.utf8.count)
    }
    query = try QueryString(options)
    var parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
    guard parts.popFirst()?.isEmpty == true, parts.popFirst()?.elementsEqual("tables".utf8) == true,
      let name = parts.popFirst(), !name.isEmpty
    else { throw .noSuchPath }
    let text = try Text(percentDecoding: name)
    guard let table = tables.first(where: { text.isEqual(anyCase: $0.text.string) }) else {
      throw .noSuchTable(text.string)
    }
    self.table = table
    guard let last = parts.popFirst(), !last.isEmpty || !parts.isEmpty else {
      id = nil
      return
    }
    guard parts.isEmpty else { throw .noSuchPath }
    do throws(NameError) {
      id = try ItemID(try Self.decoded(last))
    } catch {
      throw .badRequest("\(error)")
    }
  }

  private static func decoded(_ part: Substring.UTF8View) throws(NameError) -> Text {
    do throws(TableError) {
      return try Text(percentDecoding: part)
    } catch {
      throw NameError(error.message)
    }
  }
}

/// Where the server is, as its clients have it.
package struct RequestOrigin: Equatable, Sendable {
  /// `http` or `https`.
  package var scheme: String
  /// The host and port of the request; `nil` where it had none.
  package var authority: String?

  package init(scheme: String, authority: String?) {
    self.scheme = scheme
    self.authority = authority
  }

  /// Reads the public URL of a server: `http` or `https`, a host and perhaps a port; `nil` for
  /// everything else.
  package init?(url: String) {
    guard let parts = URLComponents(string: url), let scheme = parts.scheme,
      ["http", "https"].contains(scheme), parts.host?.utf8.isEmpty == false,
      (1...65_535).contains(parts.port ?? 1), parts.user == nil, parts.password == nil,
      parts.path.utf8.isEmpty, parts.query == nil, parts.fragment == nil,
      url.utf8.last != UInt8(ascii: ":"), parts.string.map({ Text($0) == Text(url) }) == true
    else { return nil }
    self.init(
      scheme: scheme, authority: String(Substring(url.utf8.dropFirst(scheme.utf8.count + 3))))
  }

  /// Whether a request names this host; the port that the scheme implies may be left out.
  func isNamed(by authority: String?) -> Bool {
    let port = ":\(scheme.utf8.count == 5 ? 443 : 80)"
    func whole(_ name: String) -> Text {
      let bytes = name.utf8
      let hasPort = bytes.last != UInt8(ascii: "]") && bytes.contains(UInt8(ascii: ":"))
      return Text(hasPort ? name : name + port)
    }
    guard let authority, let own = self.authority else { return false }
    return whole(authority).isEqual(anyCase: whole(own).string)
  }

  /// Returns the URL of a path; the path alone where the host isn't known.
  func url(_ path: String) -> String {
    authority.map { "\(scheme)://\($0)\(path)" } ?? path
  }

  /// Whether the host is a name that only this machine has for itself.
  var isLoopback: Bool {
    guard let authority else { return false }
    var host = Text(authority).string.utf8[...]
    if let colon = host.lastIndex(of: UInt8(ascii: ":")),
      host[colon...].dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
    {
      host = host[..<colon]
    }
    let name = Text(String(Substring(host)))
    return ["localhost", "127.0.0.1", "[::1]"].contains { name.isEqual(anyCase: $0) }
  }
}
