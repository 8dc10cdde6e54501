import Glibc

/// A thread of its own for work that blocks, so that the tests' few threads stay free.
package struct ServerThread: Sendable {
  private let thread: pthread_t

  /// Starts a thread; `nil` when the system has none left.
  package static func start(_ work: @escaping @Sendable () -> Void) -> ServerThread? {
    final class Work: Sendable {
      let run: @Sendable () -> Void
      init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    let box = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    guard status == 0 else {
      box.release()
      return nil
    }
    return ServerThread(thread: thread)
  }

  /// Waits until the thread has ended.
  package func join() { pthread_join(thread, nil) }
}
