import Glibc
import TestSupport
import Testing

/// What a fault does to a program, and whether it is told which call it has met.
@Suite(.enabled(if: TracedProgram.refusal == nil, "\(TracedProgram.refusal ?? "")"))
struct TracedProgramTests {
  private let directory = TemporaryDirectory()

  /// Writes two files, one after the other, and goes on where one can't be written.
  private func write(_ fault: Fault?) async throws -> TracedProgram.Ending {
    let program = TracedProgram(
      path: "/bin/sh", arguments: ["-c", "echo ab >one; echo cd >two; exit 5"],
      environment: [], directory: directory.path)
    return try await OwnThread.run { try program.run(fault) }
  }

  private func text(_ name: String) -> String {
    String(decoding: (Files.read(directory.path(of: name)) ?? []), as: UTF8.self)
  }

  /// The number of the first call of a kind on a file.
  private func call(_ kind: TracedCall.Kind, on name: String) async throws -> Int {
    let calls = try await write(nil).calls
    for name in ["one", "two"] { unlink(directory.path(of: name)) }
    return try #require(calls.first { $0.kind == kind && $0.path.hasSuffix("/\(name)") }).number
  }

  @Test("without a fault all calls are told, and none is met")
  func undisturbed() async throws {
    let ending = try await write(nil)
    #expect(ending.status == 5)
    #expect(ending.met == nil)
    #expect(
      ending.calls.filter { $0.kind == .write }.map(\.bytes) == [
        Array("ab\n".utf8), Array("cd\n".utf8),
      ])
  }

  @Test("a fault after the last call is not met", arguments: Fault.Mode.allCases)
  func pastTheEnd(_ mode: Fault.Mode) async throws {
    let ending = try await write(Fault(mode: mode, call: 1_000))
    #expect(ending.status == 5)
    #expect(ending.met == nil)
    #expect(text("two") == "cd\n")
  }

  @Test("a kill meets its call, which isn't made")
  func kills() async throws {
    let call = try await call(.write, on: "two")
    let ending = try await write(Fault(mode: .kill, call: call))
    #expect(ending.status == 137)
    #expect(ending.met?.kind == .write)
    #expect(ending.met?.path == directory.path(of: "two"))
    #expect(text("one") == "ab\n")
    #expect(text("two") == "")
  }

  @Test("a torn write has written half of its bytes")
  func tears() async throws {
    let call = try await call(.write, on: "two")
    let ending = try await write(Fault(mode: .tear, call: call))
    #expect(ending.status == 137)
    #expect(ending.met?.canTear == true)
    #expect(text("two") == "c")
  }

  @Test("what can't be torn isn't met, and goes on")
  func cannotTear() async throws {
    let call = try await call(.open, on: "two")
    let ending = try await write(Fault(mode: .tear, call: call))
    #expect(ending.status == 5)
    #expect(ending.met == nil)
    #expect(text("two") == "cd\n")
  }

  @Test("an error hits one call, a full disk all that take space from then on")
  func fails() async throws {
    let call = try await call(.open, on: "one")
    let once = try await write(Fault(mode: .noSpace, call: call))
    #expect(once.met?.path == directory.path(of: "one"))
    #expect(text("two") == "cd\n")
    for name in ["one", "two"] { unlink(directory.path(of: name)) }
    let full = try await write(Fault(mode: .full, call: call))
    #expect(full.met?.path == directory.path(of: "one"))
    #expect(full.status == 5)
    #expect(full.output.split(separator: "\n").count == 2)
    #expect(FileTree(at: directory.path).files.isEmpty)
  }
}
