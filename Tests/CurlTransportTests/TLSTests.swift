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

  @Test("a certificate in the given directory is trusted, with a file of others or without")
  func trustedDirectory() throws {
    let other = try TLSServer()
    for file in [nil, other.certificateFile] {
      var transport = transport(
        certificateFile: file, certificateDirectory: server.certificateDirectory)
      #expect(try transport.get("https://localhost:\(server.port)/").get().status == 200)
    }
  }

  @Test("a file of certificates that is not there is not trusted")
  func missingFile() throws {
    var transport = transport(certificateFile: "\(server.certificateFile).none")
    let failure = try #require(try transport.get("https://localhost:\(server.port)/").failure)
    #expect(failure.kind == .insecure)
    #expect(failure.nothingSent)
  }

  @Test("N7: a server that speaks nothing newer than TLS 1.1 is not trusted")
  func old() throws {
    let server = try TLSServer(options: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
    var transport = transport(certificateFile: server.certificateFile)
    let failure = try #require(try transport.get("https://localhost:\(server.port)/").failure)
    #expect(failure.kind == .insecure && failure.nothingSent)
  }
}
