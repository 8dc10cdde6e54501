import CommandSupport
import Commands
import Synchronization
import TestSupport
import Testing

/// A person whose line to a real server a test cuts, one connection at a time.
final class CutLine {
  let server: RunningServer
  let anna: Person
  private let proxy: ByteProxy
  private let next = NextCourse()

  /// Makes a person who has cloned the server's tables, and speaks one of the dialects from then on.
  ///
  /// - Throws: Where the server can't be started or the clone fails.
  init(dialect: String = "datasync") throws {
    server = try RunningServer()
    let next = next
    proxy = try ByteProxy(before: server.port) { _ in next.take() }
    anna = try Person(cloning: proxy.url)
    // tsync-server speaks all four.
    let state = try #require(anna.directory.text(Self.state))
    try #require(state.contains("\"datasync\""))
    let spoken = state.replacing("\"datasync\"", with: "\"\(dialect)\"")
    anna.directory.write(spoken, to: Self.state)
  }

  private static let state = "list/.todosync/state.json"

  /// What is known of the server, its dialect too.
  var known: String? { anna.directory.text(Self.state) }

  /// What has passed on the last connection.
  var lastPassage: ByteProxy.Passage? { proxy.passages.last }

  /// Runs a command whose connections take these courses, in their order, and then clear ones.
  func run(_ words: String..., on courses: ByteProxy.Course...) -> Outcome {
    run(words, on: courses)
  }

  /// Runs a command on a line of so many courses.
  func run(_ words: [String], on courses: [ByteProxy.Course]) -> Outcome {
    next.set(courses)
    defer { next.set([]) }
    return anna.run(words)
  }

  /// The courses of a line that is down: nothing can be read, however often that is tried.
  static let down = Array(repeating: ByteProxy.Course.request(cutAfter: 0), count: 5)

  /// Lets the server have the requests that were kept back.
  func deliverWithheld() { proxy.deliverWithheld() }
}

/// The courses of the connections to come; the last is followed by clear ones.
private final class NextCourse: Sendable {
  private let courses = Mutex<[ByteProxy.Course]>([])

  func set(_ new: [ByteProxy.Course]) { courses.withLock { $0 = new } }

  func take() -> ByteProxy.Course {
    courses.withLock { $0.isEmpty ? .clear : $0.removeFirst() }
  }
}
