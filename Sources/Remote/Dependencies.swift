import Glibc

/// The dependencies of the remote on its process: clock, random numbers, and notices.
package struct Dependencies {
  /// Returns milliseconds on a clock that only goes forward.
  package var now: () -> Int
  /// Waits so many milliseconds.
  package var pause: (Int) -> Void
  /// Draws a number from 0 to a limit, the limit included.
  package var random: (Int) -> Int
  /// Told of each request: method, target, status or failure, milliseconds; never a secret.
  package var trace: ((String) -> Void)?
  /// Told what people should know though the work goes on, in words for them.
  package var notice: (String) -> Void

  /// Makes dependencies, the real ones where nothing else is given.
  package init(
    now: @escaping () -> Int = Self.monotonicMilliseconds,
    pause: @escaping (Int) -> Void = Self.sleep,
    random: @escaping (Int) -> Int = { Int.random(in: 0...$0) },
    trace: ((String) -> Void)? = nil, notice: @escaping (String) -> Void = { _ in }
  ) {
    self.now = now
    self.pause = pause
    self.random = random
    self.trace = trace
    self.notice = notice
  }

  /// Returns the milliseconds of the system's monotonic clock.
  package static func monotonicMilliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
  }

  /// Sleeps so many milliseconds; a signal ends it early.
  package static func sleep(_ milliseconds: Int) {
    var time = timespec(
      tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
    nanosleep(&time, nil)
  }
}
