import Glibc

/// A thread for work that blocks, so that the tests' few threads stay free.
///
/// What is traced must be started and waited for on one thread.
package enum OwnThread {
  /// Runs work and returns what comes of it.
  package static func run<Value: Sendable>(
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
