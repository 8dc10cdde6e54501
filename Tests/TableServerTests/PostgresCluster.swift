import Foundation
import Synchronization
import Testing

/// A private cluster of PostgreSQL in a temporary directory, which ends with the tests.
final class PostgresCluster: Sendable {
  /// The cluster of all tests; `nil` where PostgreSQL's programs aren't there.
  static let shared: PostgresCluster? = programs.map { PostgresCluster($0) }

  private static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.sorted { $0.count == $1.count ? $0 < $1 : $0.count < $1.count }.last
      .map { "\(root)/\($0)/bin" }
  }()

  private let programs: String
  private let directory: String
  /// The cluster ends when nobody holds this any more.
  private let input = Pipe()
  private let schemas = Mutex(0)

  private init(_ programs: String) {
    self.programs = programs
    directory = "/tmp/tsync-pg-\(UUID().uuidString.prefix(8))"
    let script = """
      set -e; umask 077; mkdir \(directory)
      \(programs)/initdb -D \(directory)/data -U postgres --locale=C --encoding=UTF8 \
        --auth=trust --no-sync > \(directory)/log
      \(programs)/postgres -D \(directory)/data -k \(directory) -c listen_addresses= \
        -c fsync=off -c max_connections=300 -c log_line_prefix='%a|' > \(directory)/log 2>&1 &
      server=$!
      until \(programs)/pg_isready -q -h \(directory); do kill -0 $server; sleep 0.05; done
      echo ready
      cat > /dev/null; kill -QUIT $server; wait $server || true; rm -rf \(directory)
      """
    let (process, output) = (Process(), Pipe())
    let isRoot = getuid() == 0
    process.executableURL = URL(filePath: isRoot ? "/usr/sbin/runuser" : "/bin/sh")
    process.arguments =
      (isRoot ? ["-u", "postgres", "--", "/bin/sh"] : []) + ["-c", script]
    (process.standardInput, process.standardOutput) = (input, output)
    do { try process.run() } catch { fatalError("PostgreSQL: \(error)") }
    let line = output.fileHandleForReading.availableData
    guard String(decoding: line, as: UTF8.self) == "ready\n" else {
      fatalError("PostgreSQL doesn't start: \(directory)/log")
    }
  }

  /// Returns the URL of an empty schema, with settings of the session.
  func url(_ settings: String...) throws -> String {
    let name = schemas.withLock { count in
      count += 1
      return "s\(count)"
    }
    try run("CREATE SCHEMA \(name)")
    return url(of: "postgres", ["search_path=\(name)"] + settings)
  }

  /// Returns the URL of a database.
  func url(of database: String, as user: String = "postgres", _ settings: [String] = []) -> String {
    let host = directory.replacingOccurrences(of: "/", with: "%2F")
    let options = settings.map { "-c" + $0.replacingOccurrences(of: "=", with: "%3D") }
    return "postgres://\(user)@\(host)/\(database)?connect_timeout=60&options="
      + options.joined(separator: "%20")
  }

  /// The texts that were carried out for the connections with an application_name.
  ///
  /// They are logged where the connection has log_statement=all.
  func statements(of name: String) throws -> [String] {
    let log = try String(contentsOfFile: "\(directory)/log", encoding: .utf8)
    return log.split(separator: "\n").filter { $0.hasPrefix("\(name)|LOG:") }.compactMap { line in
      ["statement: ", "execute s"].lazy.compactMap { line.firstRange(of: $0) }.first
        .map { String(line[$0.upperBound...].drop { $0.isNumber }.trimmingPrefix(": ")) }
    }
  }

  /// Returns a proxy to this cluster; it cuts the connection at so many of a hundred COMMITs.
  func proxy(percent: Int, seed: UInt64) throws -> CuttingProxy {
    try CuttingProxy(to: directory, percent: percent, seed: seed)
  }

  /// Returns the URL of the same schema through a proxy.
  func url(_ url: String, through proxy: CuttingProxy) -> String {
    let host = { (path: String) in path.replacingOccurrences(of: "/", with: "%2F") }
    return url.replacingOccurrences(of: host(directory), with: host(proxy.directory))
  }

  /// Runs SQL in the schema of a URL, or in none; returns the rows, a line each.
  @discardableResult func run(_ sql: String, in url: String? = nil) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "\(programs)/psql")
    process.arguments = [
      "-qAt", "-v", "ON_ERROR_STOP=1", "-c", sql, url ?? self.url(of: "postgres"),
    ]
    process.standardOutput = output
    try process.run()
    let rows = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(sql)")
    return String(decoding: rows, as: UTF8.self)
  }
}
