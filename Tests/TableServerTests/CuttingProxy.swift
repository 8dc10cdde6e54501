import Foundation
import Glibc
import Synchronization

/// Stands between a store and PostgreSQL, and cuts connections at COMMIT.
///
/// A class, because all of its threads share the counts.
final class CuttingProxy: Sendable {
  /// How a connection is cut.
  enum Cut: CaseIterable {
    /// PostgreSQL never gets the COMMIT.
    case before
    /// PostgreSQL has answered the COMMIT, and nobody hears it.
    case after
    /// PostgreSQL gets the COMMIT when its client has long begun anew.
    case late
  }

  /// The directory whose socket is this proxy's.
  let directory: String
  private let server: String
  private let listener: Int32
  private let counts = Mutex<[Cut: Int]>([:])
  private let chance: Mutex<Chance>

  private struct Chance {
    var random: FilterHistoryTests.Chance
    let percent: Int
  }

  /// Listens.
  ///
  /// Of a hundred COMMITs, `percent` are cut; `server` is the directory of the socket of PostgreSQL.
  init(to server: String, percent: Int, seed: UInt64) throws {
    self.server = server
    directory = "/tmp/tsync-cut-\(UUID().uuidString.prefix(8))"
    chance = Mutex(Chance(random: .init(seed: seed), percent: percent))
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let isBound = Self.with(directory) { bind(listener, $0, $1) } == 0
    guard isBound, listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread { self.carry(client) }
      }
    }
  }

  /// How often connections were cut so.
  func count(_ cut: Cut) -> Int { counts.withLock { $0[cut] ?? 0 } }

  /// Takes no more connections.
  func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    Glibc.close(listener)
    try? FileManager.default.removeItem(atPath: directory)
  }

  private func carry(_ client: Int32) {
    let target = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(target) }
    guard Self.with(server, { connect(target, $0, $1) }) == 0 else {
      Glibc.close(client)
      return
    }
    // The client's descriptor is closed once, whichever way this ends.
    var isOpen = true
    defer { if isOpen { Glibc.close(client) } }
    while true {
      var sockets = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: target, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&sockets, 2, -1) > 0 else { return }
      if sockets[1].revents != 0 {
        guard let bytes = Self.read(target), Self.write(bytes, to: client) else { return }
      }
      guard sockets[0].revents != 0 else { continue }
      guard var bytes = Self.read(client) else { return }
      let cut = cut(at: bytes)
      // PostgreSQL answers what ends with a Sync message: all of it is read before anything is cut.
      while cut != nil, bytes.suffix(5) != Self.sync {
        guard let more = Self.read(client) else { return }
        bytes += more
      }
      guard let cut else {
        guard Self.write(bytes, to: target) else { return }
        continue
      }
      switch cut {
      case .before: return
      case .after:
        guard Self.write(bytes, to: target) else { return }
        _ = Self.read(target)
        return
      case .late:
        Glibc.close(client)
        isOpen = false
        usleep(50_000)
        guard Self.write(bytes, to: target) else { return }
        _ = Self.read(target)
        return
      }
    }
  }

  /// Says whether and how these bytes are cut: where they bind the statement that COMMIT is prepared as.
  private func cut(at bytes: [UInt8]) -> Cut? {
    guard bytes.firstRange(of: [0] + Array("s1".utf8) + [0]) != nil else { return nil }
    let cut: Cut? = chance.withLock { chance in
      guard Int.random(in: 0..<100, using: &chance.random) < chance.percent else { return nil }
      return chance.random.pick(Cut.allCases)
    }
    if let cut { counts.withLock { $0[cut, default: 0] += 1 } }
    return cut
  }

  private static func with(
    _ directory: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array("\(directory)/.s.PGSQL.5432".utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static let sync: ArraySlice<UInt8> = [UInt8(ascii: "S"), 0, 0, 0, 4]

  private static func read(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
