import Glibc

/// A thread that does one thing beside its caller; it takes no signals, which are for the caller.
package struct SideThread {
  private let thread: pthread_t

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Begins; `nil` where no thread is to be had.
  package init?(_ body: @escaping @Sendable () -> Void) {
    var (all, before, thread) = (sigset_t(), sigset_t(), pthread_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let work = Unmanaged.passRetained(Work(body))
    let code = pthread_create(
      &thread, nil,
      { work in
        if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      return nil
    }
    self.thread = thread
  }

  /// Waits until it has ended; once.
  package func join() { pthread_join(thread, nil) }
}
