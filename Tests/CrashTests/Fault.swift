import CTracer
import Glibc

/// What happens to one system call of a program.
struct Fault: Hashable, Sendable, CustomStringConvertible {
  /// The ways in which a call goes wrong.
  enum Mode: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The process is killed, the call isn't made.
    case kill
    /// Half of the bytes are written or sent, then the process is killed.
    case tear
    /// The call isn't made and fails.
    case noSpace, ioError, tooManyFiles

    var description: String {
      switch self {
      case .kill: "kill"
      case .tear: "torn"
      case .noSpace: "ENOSPC"
      case .ioError: "EIO"
      case .tooManyFiles: "EMFILE"
      }
    }

    /// Whether it can happen to a call.
    func applies(to call: TracedCall) -> Bool {
      switch self {
      case .kill: true
      case .tear: (call.kind == .write || call.kind == .send) && call.bytes.count > 1
      default: call.kind != .receive
      }
    }

    /// Whether the process ends by it.
    var ends: Bool { self == .kill || self == .tear }

    fileprivate var forTracer: (mode: tracer_mode, error: Int32) {
      switch self {
      case .kill: (TRACER_KILL, 0)
      case .tear: (TRACER_TEAR, 0)
      case .noSpace: (TRACER_FAIL, ENOSPC)
      case .ioError: (TRACER_FAIL, EIO)
      case .tooManyFiles: (TRACER_FAIL, EMFILE)
      }
    }
  }

  let mode: Mode
  /// Which call, counted from 1.
  let call: Int

  var description: String { "\(mode) at call \(call)" }

  /// As the tracer takes it.
  var forTracer: tracer_fault {
    let (mode, error) = mode.forTracer
    return tracer_fault(mode: mode, at: call, error: error)
  }
}
