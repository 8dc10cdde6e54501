import CommandSupport
import Commands
import Glibc
import TestSupport
import Testing

/// `tsync serve`, which the server replaces.
@Suite struct ServeTests {
  @Test("the server ignores no signal because the client does")
  func handsOnNoIgnoredSignal() throws {
    let world = try CaseWorld()
    world.anna.directory.write(
      "#!/bin/sh\nwhile read -r key value; do test $key = SigIgn: && echo $value; done "
        + "</proc/$$/status\n", to: "list/bin/tsync-server")
    let outcome = try world.anna.shell(
      "chmod +x bin/tsync-server; cp \"$(command -v tsync)\" bin/; exec bin/tsync serve")
    let output = outcome.output.split(separator: "\n").first
    let ignored = try #require(output.flatMap { UInt64($0, radix: 16) }, "\(outcome)")
    for signal in [SIGPIPE, SIGXFSZ] { #expect(ignored & 1 << UInt64(signal - 1) == 0) }
  }
}
