import ArgumentParser
import Glibc
import NIOCore
import PostgresStore
import SQLiteStore
import TableServer

/// What the process ends with when it can't go on: words and an exit status.
///
/// 2: the command line is wrong; 8: a file or an address can't be used.
struct ServerFailure: Error {
  /// The fact: lower case, no period; for `--help` and `--version` the text asked for.
  let message: String
  /// The exit status.
  let status: Int32

  init(_ message: String, status: Int32) {
    self.message = message
    self.status = status
  }

  /// Finds the words for any error.
  init(_ error: any Error) {
    switch error {
    case let failure as ServerFailure: self = failure
    case let error as PostgresStoreError: self.init("\(error)", status: error.isOfURL ? 2 : 8)
    case is SQLiteStoreError, is StoreDamage: self.init("\(error)", status: 8)
    case TableError.storeFailed(let words): self.init(words, status: 8)
    case let error as IOError: self.init("\(String(cString: strerror(error.errnoCode)))", status: 8)
    default:
      let isAsked = TsyncServer.exitCode(for: error) == .success
      let words = isAsked ? TsyncServer.fullMessage(for: error) : TsyncServer.message(for: error)
      self.init(words, status: isAsked ? 0 : 2)
    }
  }

  /// Says it: errors on stderr after the program's name, what was asked for on stdout.
  func report() {
    if status == 0 {
      Output.write(message + "\n", to: STDOUT_FILENO)
    } else {
      Output.write("tsync-server: \(message)\n", to: STDERR_FILENO)
    }
  }
}

/// The process's streams, written at once and whole.
enum Output {
  /// Writes a text; answers whether all of it could be written.
  @discardableResult
  static func write(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = Glibc.write(descriptor, start, rest.count)
        guard count > 0 || errno == EINTR else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(max(0, count)))
      }
      return true
    }
  }
}
