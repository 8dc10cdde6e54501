import CTracer

/// One system call that changes something, as the tracer has seen it.
struct TracedCall: Sendable {
  /// What it does, whichever of its forms is used.
  enum Kind: UInt32, Sendable {
    case open, write, sync, datasync, syncfs, rename, link, unlink, mkdir, truncate, chmod, lock
    case connect, send, receive, close, other
  }

  /// Its place among all calls, counted from 1.
  let number: Int
  /// Its place among those of its kind, counted from 1.
  let numberOfKind: Int
  let kind: Kind
  /// The inode behind the descriptor it takes, or that it has opened.
  let file: UInt64
  /// Where a write goes, or the length that a file is cut to.
  let offset: Int
  /// The flags of open(2), renameat2(2) and unlinkat(2).
  let flags: Int
  /// What it returned; negative for an error.
  let result: Int
  /// What it is about; empty where there is none.
  let path: String
  /// The second path of a rename or link.
  let target: String
  /// What a write or a send hands over.
  let bytes: [UInt8]
  /// Whether half of them can be written.
  let canTear: Bool
  /// Whether it makes a file, or writes to one that is no standard stream.
  let takesSpace: Bool

  /// Copies what the tracer tells.
  init(_ call: tracer_call) {
    number = call.number
    numberOfKind = call.number_of_kind
    kind = Kind(rawValue: call.kind.rawValue) ?? .other
    file = call.file
    offset = Int(call.offset)
    flags = call.flags
    result = Int(call.result)
    path = String(cString: call.path)
    target = String(cString: call.target)
    bytes = Array(UnsafeBufferPointer(start: call.bytes, count: call.count))
    canTear = call.can_tear != 0
    takesSpace = call.takes_space != 0
  }

  /// Whether it is about a socket.
  var isSocket: Bool { path.hasPrefix("socket:") }
}
