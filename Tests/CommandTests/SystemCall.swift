/// A system call of Linux, by its number.
enum SystemCall: UInt32 {
  #if arch(x86_64)
    case write = 1
    case pwrite64 = 18
    case socket = 41
    case flock = 73
    case fsync = 74
    case fdatasync = 75
    case ftruncate = 77
    case fchmod = 91
    case getdents64 = 217
    case openat = 257
    case mkdirat = 258
    case unlinkat = 263
    case renameat = 264
    case linkat = 265
    case symlinkat = 266
    case faccessat = 269
    case utimensat = 280
    case syncfs = 306
    case renameat2 = 316
    case faccessat2 = 439
  #else
    // The numbers that all newer architectures share.
    case write = 64
    case pwrite64 = 68
    case socket = 198
    case flock = 32
    case fsync = 82
    case fdatasync = 83
    case ftruncate = 46
    case fchmod = 52
    case getdents64 = 61
    case openat = 56
    case mkdirat = 34
    case unlinkat = 35
    case renameat = 38
    case linkat = 37
    case symlinkat = 36
    case faccessat = 48
    case utimensat = 88
    case syncfs = 267
    case renameat2 = 276
    case faccessat2 = 439
  #endif
}
