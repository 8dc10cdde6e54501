import Glibc
import TestSupport

/// How much of what could be tried is tried: a sample every day, all of it with `TSYNC_CAMPAIGN=1`.
enum Campaign {
  /// Whether everything is tried.
  static let isWhole = getenv("TSYNC_CAMPAIGN") != nil

  /// What samples are drawn with: `TSYNC_SEED`, or the same every day.
  static let seed: UInt64 =
    getenv("TSYNC_SEED").flatMap { UInt64(String(cString: $0)) } ?? 50_000_000

  /// Prints a line at once, so that who watches a long campaign sees how far it is.
  static func tell(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Runs work that blocks on threads of its own, and adds up what comes of it.
  static func onThreads<Sum: Addable & Sendable>(
    _ count: Int = 2, _ work: @escaping @Sendable (_ number: Int, _ of: Int) throws -> Sum
  ) async throws -> Sum {
    try await withThrowingTaskGroup(of: Sum.self) { group in
      for number in 0..<count {
        group.addTask { try await OwnThread.run { try work(number, count) } }
      }
      var sum = Sum()
      for try await part in group { sum.add(part) }
      return sum
    }
  }
}

/// What the parts of a campaign come to can be added up.
protocol Addable {
  /// Nothing yet.
  init()
  /// Adds a part.
  mutating func add(_ other: Self)
}

/// A thread for work that blocks, so that the tests' few threads stay free.
///
/// What is traced must be started and waited for on one thread.
enum OwnThread {
  /// Runs work and returns what comes of it.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let box = Unmanaged.passRetained(Work { continuation.resume(with: Result(catching: work)) })
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setstacksize(&attributes, 8 << 20)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      var thread = pthread_t()
      let status = pthread_create(
        &thread, &attributes,
        { context in
          // Swift's threads block all signals, which programs started from here would inherit.
          var none = sigset_t()
          sigemptyset(&none)
          pthread_sigmask(SIG_SETMASK, &none, nil)
          if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
          return nil
        }, box.toOpaque())
      pthread_attr_destroy(&attributes)
      precondition(status == 0, "no thread is left")
    }
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }
}
