package import SystemPackage

/// An error about a workspace's files: the fact and the file.
///
/// Places are paths: relative to `.todosync` where they lie in it.
package enum WorkspaceError: Error, Equatable, Sendable {
  /// A system call failed.
  case file(place: String, Errno)
  /// A file of tsync's own is not as it was written; the line is counted from 1.
  case damaged(place: String, line: Int?, fact: String)
  /// A file has another format than this program's.
  case otherFormat(place: String, isNewer: Bool)
  /// A directory that every workspace has is gone: renamed, or a disk that is not mounted.
  case missing(place: String)
  /// Another process holds the workspace's lock; what it wrote about itself, where it did.
  case locked(DirectoryLock.Holder?)
  /// There is no workspace in a directory or above it.
  case notFound(from: String)
  /// There is a workspace already where one was to be made.
  case exists(place: String)
  /// A workspace was found, but may not be trusted.
  case untrusted(place: String, fact: String)
  /// A settings file is wrong at a place.
  case setting(place: String, line: Int?, column: Int?, fact: String)
  /// Stored credentials can't be used; the line and the column of a text that can't be read, from 1.
  case credentials(place: String, line: Int? = nil, column: Int? = nil, fact: String)
  /// Other users can read stored credentials.
  case exposed(place: String)
}

extension WorkspaceError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let place, let error): "\(place): \(error)"
    case .damaged(let place, let line, let fact):
      "\(place)\(line.map { ":\($0)" } ?? ""): damaged: \(fact)"
    case .otherFormat(let place, _): "\(place): made by another version of tsync"
    case .missing(let place): "\(place) is missing"
    case .locked(let holder): "another tsync holds the workspace\(holder.map { ": \($0)" } ?? "")"
    case .notFound(let directory): "no workspace in \(directory) or above it"
    case .exists(let place): "\(place) already exists"
    case .untrusted(let place, let fact): "\(place) \(fact)"
    case .credentials(let place, nil, _, let fact): "\(place) \(fact)"
    case .setting(let place, let line, let column, let fact),
      .credentials(let place, let line, let column, let fact):
      "\(place)\(line.map { ":\($0)" } ?? "")\(column.map { ":\($0)" } ?? ""): \(fact)"
    case .exposed(let place): "\(place) can be read by other users"
    }
  }
}

extension WorkspaceError {
  /// Makes a system call, again where a signal interrupts it, and returns what it returns.
  ///
  /// - Throws: ``file(place:_:)`` with `errno`, where the call answers less than 0.
  @discardableResult
  static func checking<Answer: BinaryInteger>(
    _ place: @autoclosure () -> String, _ call: () -> Answer
  ) throws(WorkspaceError) -> Answer {
    switch interruptible(call) {
    case .success(let answer): return answer
    case .failure(let error): throw .file(place: place(), error)
    }
  }

  /// Makes a system call, again where a signal interrupts it.
  static func interruptible<Answer: BinaryInteger>(_ call: () -> Answer) -> Result<Answer, Errno> {
    while true {
      let answer = call()
      if answer >= 0 { return .success(answer) }
      let error = Errno.current
      if error != .interrupted { return .failure(error) }
    }
  }
}
