import Remote
import Testing

@Suite struct LoopbackAddressTests {
  @Test(
    "addresses of this machine are loopback",
    arguments: ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"])
  func loopback(address: String) {
    #expect(LoopbackAddress.contains(address))
  }

  @Test(
    "all others are not",
    arguments: [
      "192.0.2.1", "0.0.0.0", "128.0.0.1", "126.255.255.255", "10.0.0.1", "169.254.169.254",
      "::", "::2", "1::1", "::127.0.0.1", "::ffff:192.0.2.1", "fe80::1", "fd00::1",
      "64:ff9b::7f00:1",
      "", "localhost", "127.0.0.1.example.net", "127.1", "0x7f000001", "2130706433", " 127.0.0.1",
    ])
  func others(address: String) {
    #expect(!LoopbackAddress.contains(address))
  }
}
