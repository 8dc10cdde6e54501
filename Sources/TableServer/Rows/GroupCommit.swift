/// Carries out writes in transactions that all writes waiting at the same time share.
///
/// While a transaction is being made durable, new writes gather for the next one: one fsync serves
/// as many as there are.
package actor GroupCommit {
  private struct Job: Sendable {
    var write: ScopedWrite
    var done: CheckedContinuation<WriteOutcome, any Error>
  }

  private let store: any ItemStore
  private var waiting: [Job] = []
  private var isCommitting = false

  /// Writes to a store.
  package init(_ store: any ItemStore) { self.store = store }

  /// Carries out a write; when it returns the write is durable.
  ///
  /// - Throws: What kept this write from being stored; the row is then as it was.
  package func write(_ write: RowWrite, in scope: Scope) async throws -> WriteOutcome {
    try await withCheckedThrowingContinuation { continuation in
      waiting.append(Job(write: ScopedWrite(write, in: scope), done: continuation))
      guard !isCommitting else { return }
      isCommitting = true
      Task { await self.commitAll() }
    }
  }

  private func commitAll() async {
    while !waiting.isEmpty {
      var (count, bytes) = (0, 0)
      for job in waiting.prefix(ServedLimits.groupRows) {
        bytes += job.write.write.size
        guard count == 0 || bytes <= ServedLimits.groupBytes else { break }
        count += 1
      }
      let jobs = Array(waiting.prefix(count))
      waiting.removeFirst(count)
      await commit(jobs)
    }
    isCommitting = false
  }

  private func commit(_ jobs: [Job]) async {
    do {
      let outcomes = try await store.transaction(jobs.map(\.write))
      for (job, outcome) in zip(jobs, outcomes) { job.done.resume(returning: outcome) }
    } catch {
      // All of it was rolled back. One write's fault must not be the others': each tries alone; but not where
      // the store can't be had at all.
      if case TableError.storeFailed = error {
        for job in jobs { job.done.resume(throwing: error) }
        return
      }
      guard jobs.count > 1 else {
        for job in jobs { job.done.resume(throwing: error) }
        return
      }
      for job in jobs { await commit([job]) }
    }
  }
}
