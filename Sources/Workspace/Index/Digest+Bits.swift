import SyncModel

// The index keeps 100,000 fingerprints; through their hexadecimal text that takes half a second. Two
// numbers are all that a fingerprint is. Should that change, an older index has other fingerprints
// than any file, which only makes the next look slower.
extension Digest {
  /// Makes a fingerprint of the two numbers that it is.
  init(bits high: UInt64, _ low: UInt64) {
    self = unsafeBitCast((high, low), to: Digest.self)
  }

  /// The two numbers that the fingerprint is.
  var bits: (high: UInt64, low: UInt64) {
    unsafeBitCast(self, to: (high: UInt64, low: UInt64).self)
  }
}
