import Foundation
import Glibc
import TestSupport
import Testing

/// A running `tsync-server`; it ends with the value.
///
/// Unchecked, because `Process` isn't Sendable; a test asks it one thing after another.
final class ServerProcess: @unchecked Sendable {
  private let process = Process()
  private let output = Pipe()
  private var rest: [UInt8] = []
  let url: String
  let port: UInt16

  /// Starts the program on a port that is free, and waits until it listens.
  static func start(_ arguments: [String], log: Pipe? = nil) async throws -> ServerProcess {
    let log = UncheckedPipe(pipe: log)
    return try await OwnThread.run { try ServerProcess(arguments, log: log.pipe) }
  }

  /// Unchecked, because `Pipe` isn't Sendable; it is handed over.
  private struct UncheckedPipe: @unchecked Sendable { let pipe: Pipe? }

  private init(_ arguments: [String], log: Pipe?) throws {
    process.executableURL = Self.executable
    process.arguments = arguments + ["--listen", "127.0.0.1:0"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    if let log { process.standardError = log }
    try process.run()
    guard let line = Self.line(from: output.fileHandleForReading, &rest),
      let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
    else { throw ClientSocket.Failure(number: ECONNREFUSED) }
    url = line
    self.port = port
  }

  deinit {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// The program beside the tests.
  private static let executable = URL(fileURLWithPath: Programs.path(of: "tsync-server"))

  /// Runs the program to its end and returns what it wrote.
  static func run(
    _ arguments: [String], standardError: Bool = false
  ) async throws -> (output: String, status: Int32) {
    try await OwnThread.run { try runHere(arguments, standardError: standardError) }
  }

  /// Runs the program to its end, its output in a file that is there; returns the status.
  static func run(_ arguments: [String], into path: String) async throws -> Int32 {
    try await OwnThread.run {
      let process = Process()
      process.executableURL = executable
      process.arguments = arguments + ["--listen", "127.0.0.1:0"]
      process.standardOutput = FileHandle(forWritingAtPath: path)
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  private static func runHere(
    _ arguments: [String], standardError: Bool
  ) throws -> (output: String, status: Int32) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = executable
    process.arguments = arguments
    process.standardOutput = standardError ? FileHandle.nullDevice : pipe
    process.standardError = standardError ? pipe : FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
  }

  /// The next line of stdout; `nil` at its end.
  func nextLine() async throws -> String? {
    try await OwnThread.run { Self.line(from: self.output.fileHandleForReading, &self.rest) }
  }

  private static func line(from handle: FileHandle, _ rest: inout [UInt8]) -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let data = handle.availableData
      if data.isEmpty { return nil }
      rest += data
    }
  }

  /// The most memory that the process has had, in bytes.
  var peakMemory: Int? {
    let status = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Waits for the end; answers the exit status, or the signal that ended it.
  func wait() async throws -> Int32 {
    try await OwnThread.run {
      self.process.waitUntilExit()
      return self.process.terminationStatus
    }
  }

  func stop(_ number: Int32) async throws -> Int32 {
    signal(number)
    return try await wait()
  }

  struct Answer: Sendable {
    var status: Int
    var fields: [String: String]
    var body: String
  }

  /// Sends one request on a connection of its own.
  func send(
    _ method: String, _ path: String, _ fields: [String] = [], _ body: String? = nil,
    from source: String = "127.0.0.1"
  ) async throws -> Answer {
    let port = port
    return try await OwnThread.run {
      try Self.send(method, path, fields, body, to: port, from: source)
    }
  }

  private static func send(
    _ method: String, _ path: String, _ fields: [String], _ body: String?, to port: UInt16,
    from source: String
  ) throws -> Answer {
    let socket = try ClientSocket(port: port, from: source)
    var lines = ["\(method) \(path) HTTP/1.1", "Connection: close"] + fields
    let hasHost = fields.contains { $0.hasPrefix("Host:") }
    if !hasHost { lines.append("Host: 127.0.0.1:\(port)") }
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    try socket.writeHere(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    let text = Array(try socket.readAllHere().utf8)
    guard let end = text.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw ClientSocket.Failure(number: ECONNRESET)
    }
    let head = String(decoding: text[..<end.lowerBound], as: UTF8.self)
    var answer = Answer(
      status: 0, fields: [:], body: String(decoding: text[end.upperBound...], as: UTF8.self))
    let headLines = head.components(separatedBy: "\r\n")
    answer.status = Int(headLines[0].split(separator: " ")[1]) ?? 0
    for line in headLines.dropFirst() {
      let name = line.prefix { $0 != ":" }
      answer.fields[name.lowercased()] = String(line.dropFirst(name.count + 2))
    }
    return answer
  }
}

/// A TCP connection to this machine, byte by byte.
final class ClientSocket: Sendable {
  struct Failure: Error { let number: Int32 }

  private let descriptor: Int32

  /// Connects, from another of this machine's own addresses where one is named.
  init(port: UInt16, from source: String = "127.0.0.1") throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var own = sockaddr_in()
    own.sin_family = sa_family_t(AF_INET)
    own.sin_addr.s_addr = inet_addr(source)
    let isBound = withUnsafePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isBound else { throw Failure(number: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    // Nothing that a server should do takes this long.
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure(number: errno) }
  }

  deinit { close(descriptor) }

  func write(_ text: String) async throws {
    try await OwnThread.run { try self.writeHere(text) }
  }

  fileprivate func writeHere(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(number: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Whether the peer, a socket of this machine's, is connected.
  ///
  /// What a peer has closed that has more to send isn't to be seen at this end.
  func isKeptByPeer() throws -> Bool {
    var own = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard result == 0 else { throw Failure(number: errno) }
    let hexadecimal = String(UInt16(bigEndian: own.sin_port), radix: 16, uppercase: true)
    let port = ":" + String(repeating: "0", count: 4 - hexadecimal.utf8.count) + hexadecimal
    // Read to its end: Foundation takes a file without a size for one that a single read brings.
    let table = FileHandle(forReadingAtPath: "/proc/net/tcp")?.readDataToEndOfFile() ?? Data()
    // Each line has a number, the local and the remote address and the state; 01 is established.
    return String(decoding: table, as: UTF8.self).split(separator: "\n")
      .contains { $0.contains("\(port) 01 ") }
  }

  /// Sends no more.
  func finish() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Reads once.
  ///
  /// Empty at the end; a connection that was reset has ended too.
  func readSome() async throws -> String {
    try await OwnThread.run { try self.readSomeHere() }
  }

  private func readSomeHere() throws -> String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == ECONNRESET { return "" }
    guard count >= 0 else { throw Failure(number: errno) }
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  func readAll() async throws -> String {
    try await OwnThread.run { try self.readAllHere() }
  }

  fileprivate func readAllHere() throws -> String {
    var text = ""
    while true {
      let part = try readSomeHere()
      if part.isEmpty { return text }
      text += part
    }
  }
}
