/// What an input has brought to light.
package struct Finding: Error, CustomStringConvertible {
  /// What should be true, and isn't.
  package let description: String
}

/// Makes sure of a fact.
///
/// - Throws: ``Finding`` where it doesn't hold.
func ensure(_ holds: Bool, _ fact: @autoclosure () -> String) throws(Finding) {
  if !holds { throw Finding(description: fact()) }
}

/// Returns bytes as they are shown in a finding.
func shown(_ bytes: some Sequence<UInt8>) -> String {
  var text = ""
  for byte in bytes.prefix(200) {
    if (0x20..<0x7F).contains(byte) {
      text.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      text += "\\x" + String(byte, radix: 16)
    }
  }
  return text
}
