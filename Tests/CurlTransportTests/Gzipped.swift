/// Bytes packed beforehand, since nothing here can pack.
enum Gzipped {
  /// The text `{"text":"Hello world 3"}`, which is 24 bytes long.
  static let helloWorld: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 42, 73, 173, 40, 81, 178, 82, 242, 72, 205, 201, 201,
    87, 40, 207, 47, 202, 73, 81, 48, 86, 170, 5, 0, 30, 173, 46, 250, 24, 0, 0, 0,
  ]

  /// 512 KiB of zeros in 543 bytes.
  static let halfMebibyteOfZeros: [UInt8] =
    [
      31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 129, 0, 0, 0, 0, 195, 160, 249, 83, 223, 224, 4,
      85,
      1,
    ] + [UInt8](repeating: 0, count: 507) + [124, 3, 172, 10, 102, 117, 0, 0, 8, 0]

  /// 4 MiB of zeros in 4098 bytes.
  static let fourMebibytesOfZeros: [UInt8] =
    [
      31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 1, 1, 0, 0, 0, 130, 32, 255, 175, 110, 72, 64, 1,
    ] + [UInt8](repeating: 0, count: 4063) + [124, 27, 106, 64, 71, 17, 0, 0, 64, 0]
}
