import CurlTransport
import Testing

@Suite struct DefaultLimitTests {
  @Test("cases 21, 22, 23, 58, 59, 62, S11, N2: what isn't said otherwise is limited as documented")
  func defaults() {
    let limits = TransportLimits()
    #expect(limits.connectMilliseconds == 10_000)
    #expect(limits.stallMilliseconds == 30_000)
    #expect(limits.requestMilliseconds == 3_600_000)
    #expect(limits.bodyBytes == 64 << 20)
    #expect(limits.errorBodyBytes == 64 << 10)
    #expect(limits.unpackedRatio == 200)
    #expect(limits.ratioFromBytes == 1 << 20)
    #expect(limits.headerLines == 200)
    #expect(limits.headerBytes == 64 << 10)
    #expect(limits.interimReplies == 100)
    #expect(limits.allowsPlainHTTPToLoopback)
  }
}
