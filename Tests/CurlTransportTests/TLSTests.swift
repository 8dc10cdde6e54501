import CurlTransport
import Remote
import TestSupport
import Testing

@Suite(.enabled(if: TLSServer.isAvailable, "needs \(TLSServer.program)"))
struct TLSTests {
  let server: TLSServer

  init() throws {
    server = try TLSServer()
  }

  private func transport(
    certificateFile: String?, certificateDirectory: String? = nil
  ) -> CurlTransport {
    CurlTransport(
      userAgent: "tsync/0.0.0", certificateFile: certificateFile,
      certificateDirectory: certificateDirectory, noProxy: nil)
  }

  @Test("a certificate in the given file is trusted")
  func trusted() throws {
    var transport = transport(certificateFile: server.certificateFile)
    let answer = try transport.get("https://localhost:\(server.port)/").get()
    #expect(answer.status == 200)
    #expect(!answer.body.isEmpty)
  }

  @Test("a certificate in the given directory is trusted, with a file of others or without")
  func trustedDirectory() throws {
    let other = try TLSServer()
    for file in [nil, other.certificateFile] {
      var transport = transport(
        certificateFile: file, certificateDirectory: server.certificateDirectory)
      #expect(try transport.get("https://localhost:\(server.port)/").get().status == 200)
    }
  }

  @Test("case 57, N7: a certificate that nobody vouches for is not trusted, and nothing was sent")
  func untrusted() throws {
    var transport = transport(certificateFile: nil)
    let origin = "https://localhost:\(server.port)"
    let failure = try #require(try transport.get("\(origin)/secret").failure)
    #expect(failure.kind == .insecure)
    #expect(failure.nothingSent)
    #expect(failure.message.hasPrefix("cannot trust \(origin): "))
  }

  @Test("case 57, N7: a certificate for another host is not trusted, and nothing was sent")
  func otherHost() throws {
    var transport = transport(certificateFile: server.certificateFile)
    let failure = try #require(try transport.get("https://127.0.0.1:\(server.port)/").failure)
    #expect(failure.kind == .insecure)
    #expect(failure.nothingSent)
  }

  @Test("a file of certificates that is not there is not trusted")
  func missingFile() throws {
    var transport = transport(certificateFile: "\(server.certificateFile).none")
    let failure = try #require(try transport.get("https://localhost:\(server.port)/").failure)
    #expect(failure.kind == .insecure)
    #expect(failure.nothingSent)
  }

  @Test("case 57, N7: a certificate that has expired is not trusted, and nothing was sent")
  func expired() throws {
    let server = try TLSServer(days: -1)
    var transport = transport(certificateFile: server.certificateFile)
    let failure = try #require(try transport.get("https://localhost:\(server.port)/").failure)
    #expect(failure.kind == .insecure && failure.nothingSent)
    #expect(failure.message.contains("expired"))
  }

  @Test("N7: a server that speaks nothing newer than TLS 1.1 is not trusted")
  func old() throws {
    let server = try TLSServer(options: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
    var transport = transport(certificateFile: server.certificateFile)
    let failure = try #require(try transport.get("https://localhost:\(server.port)/").failure)
    #expect(failure.kind == .insecure && failure.nothingSent)
  }
}
