import TestSupport
package import Testing

/// Runs tests on threads of their own: they wait most of the time, and leave the process's few free.
package final class OnThreads: TaskExecutor, SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread = ServerThread.start {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
    precondition(thread != nil, "no thread is left")
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await body() }
    try await withTaskExecutorPreference(self) { try await body() }
  }
}

extension Trait where Self == OnThreads {
  /// Runs each test on a thread of its own.
  package static var onThreads: OnThreads { OnThreads() }
}
