import Remote
import SyncEngine
import TestSupport
import Testing

@testable import Commands

/// The line cut after each byte of a whole conversation, in both directions (safety.md N1): the
/// engine on a disk in memory, libcurl, sockets, tsync-server.
///
/// Every day a sample is cut, chosen by a seed that is printed and that `TSYNC_SEED` sets; with
/// `TSYNC_CAMPAIGN=1` every byte.
@Suite struct SweepCases {
  @Test(
    "cases 38, 60, N1, N3: cut after each byte, each deed is done once, and nothing is in conflict",
    arguments: Dialect.allCases, Deed.allCases)
  func sweeps(dialect: Dialect, deed: Deed) throws {
    let server = try RunningServer()
    let course = NextCourse()
    let proxy = try ByteProxy(before: server.port) { _ in course.take() }
    var life = try EngineLife(server, proxy.url, dialect, deed)
    try life.begin()
    #expect(try life.perform() == nil)
    let whole = try #require(proxy.passages.last)
    try life.check("whole")
    #expect(String(decoding: whole.request, as: UTF8.self).hasPrefix(deed.method(in: dialect)))
    var chance = SplitMix64(seed: Cuts.seed &+ UInt64(deed.hashed(with: dialect)))
    var count = 0
    for cut in Cuts.of(whole, every: 40, &chance) {
      try life.begin()
      course.set([cut.course])
      let stop = try life.perform()
      course.set([])
      if let stop, case .unreachable = stop {} else { #expect(stop == nil, "\(cut)") }
      #expect(try life.perform() == nil, "\(cut)")
      try life.check("\(cut)")
      count += 1
    }
    print("\(dialect), \(deed): \(count) cuts, all settled (seed \(Cuts.seed))")
  }
}

extension Deed {
  /// The method of the first request that the deed sends.
  func method(in dialect: Dialect) -> String {
    switch (self, dialect) {
    case (.pull, _): "GET "
    case (.insert, _), (.undelete, .mobileApps), (.undelete, .mobileServices): "POST "
    case (.delete, _): "DELETE "
    case (_, .communityToolkit): "PUT "
    default: "PATCH "
    }
  }

  fileprivate func hashed(with dialect: Dialect) -> UInt32 {
    "\(self) \(dialect)".utf8.reduce(0) { $0 &* 31 &+ UInt32($1) }
  }
}
