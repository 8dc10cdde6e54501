import CTracer
import Glibc
import SystemPackage

/// A run of a program under the tracer.
struct TracedProgram {
  /// How it came out.
  struct Ending: Sendable {
    /// The exit status, as a shell gives it.
    var status: Int32 = 0
    /// The call that the fault has met; `nil` where it was never made.
    var met: TracedCall?
    /// All calls, where no fault was asked for.
    var calls: [TracedCall] = []
    /// What it wrote, both streams.
    var output = ""
  }

  /// Why nothing can be traced here; `nil` where it can.
  static let refusal: String? = tracer_refusal().map { String(cString: $0) }

  /// The program's path.
  var path: String
  var arguments: [String]
  var environment: [String]
  /// Where it runs.
  var directory: String
  /// What a person types at its terminal; `nil` where it has none.
  var typed: String?

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - fault: What goes wrong; `nil` to have the calls told.
  ///   - told: Told of each call as soon as it was made; only without a fault.
  /// - Returns: How it came out.
  /// - Throws: `Errno` where it can't be started.
  func run(
    _ fault: Fault? = nil, told: ((TracedCall) -> Void)? = nil
  ) throws(Errno) -> Ending {
    let listener = Listener(told)
    var name = Array("/tmp/tsync-test-XXXXXX".utf8CString)
    let output = mkstemp(&name)
    guard output >= 0 else { throw Errno(rawValue: errno) }
    unlink(name)
    defer { close(output) }
    let terminal = try typed.map { text throws(Errno) in try Terminal(typing: text) }
    let null = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let streams = [terminal?.end ?? null, output, terminal?.end ?? output]
    var end = tracer_end()
    let failure = withWords { words, variables in
      tracer_run(
        path, words, variables, directory, streams, 60,
        fault?.forTracer ?? tracer_fault(mode: TRACER_LOG, kind: TRACER_ANY, at: 0, error: 0),
        { context, call in
          guard let context, let call else { return }
          Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue().take(call.pointee)
        }, Unmanaged.passUnretained(listener).toOpaque(), &end)
    }
    guard failure == 0 else { throw Errno(rawValue: failure) }
    let signal = end.status & 0x7F
    return Ending(
      status: signal != 0 ? 128 + signal : end.status >> 8 & 0xFF,
      met: fault == nil ? nil : listener.calls.first, calls: fault == nil ? listener.calls : [],
      output: Self.text(in: output))
  }

  private func withWords<Result>(
    _ body: (
      UnsafePointer<UnsafeMutablePointer<CChar>?>, UnsafePointer<UnsafeMutablePointer<CChar>?>
    ) -> Result
  ) -> Result {
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { (words + variables).forEach { free($0) } }
    return body(words, variables)
  }

  private static func text(in descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Takes the calls as the tracer tells them.
  private final class Listener {
    private(set) var calls: [TracedCall] = []
    private let told: ((TracedCall) -> Void)?

    init(_ told: ((TracedCall) -> Void)?) {
      self.told = told
    }

    func take(_ call: tracer_call) {
      let call = TracedCall(call)
      calls.append(call)
      told?(call)
    }
  }
}

/// A terminal at which something was typed before the program was started.
private final class Terminal {
  /// The program's end.
  let end: Int32
  private let keyboard: Int32

  init(typing text: String) throws(Errno) {
    var (keyboard, end): (Int32, Int32) = (-1, -1)
    guard tracer_terminal(&keyboard, &end) == 0 else { throw Errno(rawValue: errno) }
    (self.keyboard, self.end) = (keyboard, end)
    let bytes = Array(text.utf8)
    write(keyboard, bytes, bytes.count)
  }

  deinit {
    close(end)
    close(keyboard)
  }
}
