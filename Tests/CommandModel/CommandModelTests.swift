import CommandSupport
import Glibc
import Synchronization
import TestSupport
import Testing

/// Random histories of command lines at two or three devices, hand work between them, a line that
/// breaks and devices that die, judged by what a person can see.
///
/// `TSYNC_SEED=N swift test --filter CommandModel` plays one history and prints it;
/// `TSYNC_SECONDS=N` plays others for so long, `TSYNC_FIRST_SEED=N` says which, and `TSYNC_UNDO=1` takes
/// each command back.
@Suite struct CommandModelTests {
  /// How many histories are played where no time is set; Tests/campaign plays others for ten minutes.
  static let count: UInt64 = 60
  /// The first seed; those of one run follow each other.
  static let first: UInt64 = 20_261_125

  @Test func historiesHold() async throws {
    if let seed = Self.number("TSYNC_SEED") {
      let plan = Plan(seed: UInt64(seed))
      let (finding, log) = await Self.onThread { Self.play(plan) }
      print(log.joined(separator: "\n"))
      return try #require(finding == nil, "\(finding.map(Self.words) ?? "")")
    }
    let (first, seconds) = (
      Self.number("TSYNC_FIRST_SEED").map(UInt64.init) ?? Self.first,
      Self.number("TSYNC_SECONDS")
    )
    let reports = await Self.onThread {
      Self.play(from: first, for: seconds)
    }
    for report in reports { Issue.record("\(report)") }
  }

  /// Works on a thread of its own, so that the tests' few threads stay free.
  private static func onThread<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { done in
      let thread = ServerThread.start { done.resume(returning: work()) }
      precondition(thread != nil, "no thread is left")
    }
  }

  /// Plays histories on two threads, for so many seconds or ``count`` of them; returns what was found.
  private static func play(from first: UInt64, for seconds: Int?) -> [String] {
    let next = Atomic<UInt64>(first)
    let played = Atomic(0)
    let reports = Mutex<[String]>([])
    let start = CommandRun.realTime()
    let end = seconds.map { start + Int64($0) * 1_000_000_000 }
    let work = { @Sendable in
      while reports.withLock({ $0.count < 3 }) {
        let seed = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard end.map({ CommandRun.realTime() < $0 }) ?? (seed < first + Self.count) else { return }
        let plan = Plan(seed: seed)
        let (finding, log) = play(plan)
        played.add(1, ordering: .relaxed)
        guard let finding else { continue }
        let report = report(plan, finding, log)
        reports.withLock { $0.append(report) }
      }
    }
    let second = ServerThread.start(work)
    work()
    second?.join()
    let taken = (CommandRun.realTime() - start) / 1_000_000_000
    print(
      """
      command model: \(played.load(ordering: .relaxed)) histories of \(Plan.length) commands in \(taken) s, seeds from \(first) on; \
      \(History.undos.load(ordering: .relaxed)) undos and redos, \
      \(History.meetings.load(ordering: .relaxed)) of them after another device's changes
      """)
    return reports.withLock(\.self)
  }

  /// Plays one history; returns what it found, and what happened.
  private static func play(_ plan: Plan) -> (finding: Finding?, log: [String]) {
    do {
      let history = try History(plan)
      do {
        try history.play()
        return (nil, history.log)
      } catch let finding as Finding {
        return (finding, history.log)
      } catch {
        return (Finding(oracle: "model", message: "\(error)"), history.log)
      }
    } catch {
      return (Finding(oracle: "model", message: "\(error)"), [])
    }
  }

  /// Leaves out steps as long as the same oracle finds something, and says what is left.
  private static func report(_ plan: Plan, _ finding: Finding, _ log: [String]) -> String {
    var (least, last, log) = (plan, finding, log)
    for size in [16, 8, 4, 2, 1] {
      var start = 0
      while start < least.steps.count {
        var shorter = least
        shorter.steps.removeSubrange(start..<min(start + size, least.steps.count))
        let (found, lines) = play(shorter)
        if let found, found.oracle == finding.oracle {
          (least, last, log) = (shorter, found, lines)
        } else {
          start += size
        }
      }
    }
    return """
      seed \(plan.seed): \(words(finding))
      with \(least.steps.count) of its steps: \(words(last))
      \(log.joined(separator: "\n"))
      """
  }

  private static func words(_ finding: Finding) -> String {
    "\(finding.oracle): \(finding.message)"
  }

  private static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }
}
