package import FuzzTargets
import Glibc

// Of libFuzzer, which the linker brings in with `-sanitize=fuzzer`. The program has a `main` of its
// own, because the package manager renames the one that a library would need.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

// Written once, before the fuzzer begins.
nonisolated(unsafe) private var target = FuzzTarget.json

/// Gives a target what libFuzzer invents, as the program's arguments say; a finding is a crash.
package func fuzz(_ chosen: FuzzTarget) -> Never {
  target = chosen
  var count = CommandLine.argc
  var arguments = CommandLine.unsafeArgv
  let status = runDriver(&count, &arguments) { start, count in
    do {
      try target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
      fatalError("\(target.rawValue): \(error)")
    }
    return 0
  }
  exit(status)
}
