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
    /// As ``noSpace``, and so does every later call of the command that takes space.
    case full

    var description: String {
      switch self {
      case .kill: "kill"
      case .tear: "torn"
      case .noSpace: "ENOSPC"
      case .ioError: "EIO"
      case .tooManyFiles: "EMFILE"
      case .full: "full"
      }
    }

    /// Whether it can happen to a call.
    func applies(to call: TracedCall) -> Bool {
      switch self {
      case .kill: true
      case .tear: call.canTear
      case .full: call.takesSpace
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
      case .full: (TRACER_FULL, ENOSPC)
      }
    }
  }

  let mode: Mode
  /// What the call does; `nil` where that doesn't matter.
  let kind: TracedCall.Kind?
  /// Which call of the kind, counted from 1.
  let call: Int

  /// Makes a fault at a call, whatever that does.
  init(mode: Mode, call: Int) {
    (self.mode, kind, self.call) = (mode, nil, call)
  }

  /// Makes a fault at a call of another run, found again by what it does: how many pieces answers come
  /// in, and in which order, differs from run to run.
  init(mode: Mode, at call: TracedCall) {
    (self.mode, kind, self.call) = (mode, call.kind, call.numberOfKind)
  }

  var description: String { "\(mode) at \(kind.map { "\($0)" } ?? "call") \(call)" }

  /// As the tracer takes it.
  var forTracer: tracer_fault {
    let (mode, error) = mode.forTracer
    let kind = kind.map { tracer_kind(rawValue: $0.rawValue) } ?? TRACER_ANY
    return tracer_fault(mode: mode, kind: kind, at: call, error: error)
  }
}
