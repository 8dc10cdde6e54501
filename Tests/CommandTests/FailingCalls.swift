import Glibc
import SystemPackage
import TestSupport

/// System calls that fail, on one thread: what a full disk or a strange file system answers, without
/// one.
///
/// A filter of the kernel's (seccomp(2)) answers for the calls; other threads don't notice.
struct FailingCalls {
  /// One call, and what it fails with.
  struct Rule {
    let call: SystemCall
    let error: Errno
    /// Only calls in whose argument of this index any of these bits is set.
    var argument: (index: UInt32, bits: UInt32)?
  }

  /// Every call that would change a file system.
  static let readOnly: [Rule] =
    [
      Rule(
        call: .openat, error: .readOnlyFileSystem,
        argument: (2, UInt32(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)))
    ]
    + [
      SystemCall.mkdirat, .unlinkat, .renameat, .renameat2, .linkat, .symlinkat,
      .ftruncate, .utimensat, .fchmod,
    ].map { Rule(call: $0, error: .readOnlyFileSystem) }

  /// Calls a function on a thread on which calls fail; `nil` where the kernel allows no filter.
  static func run<Result>(_ rules: [Rule], _ body: @escaping () -> Result) -> Result? {
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var result: Result?
    let program = code(of: rules)
    let thread = ServerThread.start {
      if install(program) { result = body() }
    }
    thread?.join()
    return result
  }

  /// Writes the filter: each instruction is code, jumps and operand (`struct sock_filter`).
  private static func code(of rules: [Rule]) -> [UInt64] {
    let (load, equal, test, end) = (UInt64(0x20), UInt64(0x15), UInt64(0x45), UInt64(0x06))
    func instruction(_ code: UInt64, _ operand: UInt32, then: UInt64 = 0, else: UInt64 = 0)
      -> UInt64
    {
      code | then << 16 | `else` << 24 | UInt64(operand) << 32
    }
    var program: [UInt64] = []
    for rule in rules {
      program.append(instruction(load, 0))  // the call's number
      let failure = instruction(end, 0x0005_0000 | UInt32(rule.error.rawValue))
      if let (index, bits) = rule.argument {
        program.append(instruction(equal, rule.call.rawValue, else: 3))
        program.append(instruction(load, 16 + 8 * index))  // the lower half of the argument
        program.append(instruction(test, bits, else: 1))
      } else {
        program.append(instruction(equal, rule.call.rawValue, else: 1))
      }
      program.append(failure)
    }
    return program + [instruction(end, 0x7FFF_0000)]  // allowed
  }

  private static func install(_ program: [UInt64]) -> Bool {
    typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    struct Filter {
      var count: UInt16
      var code: UnsafeRawPointer?
    }
    guard let symbol = dlsym(nil, "prctl") else { return false }
    let control = unsafeBitCast(symbol, to: Control.self)
    return program.withUnsafeBytes { code in
      var filter = Filter(count: UInt16(program.count), code: code.baseAddress)
      return withUnsafePointer(to: &filter) { filter in
        // PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with a filter.
        control(38, 1, 0, 0, 0) == 0 && control(22, 2, UInt(bitPattern: filter), 0, 0) == 0
      }
    }
  }
}
