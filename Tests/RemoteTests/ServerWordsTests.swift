import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct ServerWordsTests {
  private func words(_ answer: HTTPAnswer) -> String {
    Refusal(answer, .none).words.string
  }

  @Test(
    "the words of every server of the family are found",
    arguments: [
      // Mobile Services
      (
        #"{"code":404,"error":"Error: Table 'x' does not exist."}"#,
        "Error: Table 'x' does not exist."
      ),
      // Mobile Apps, Node
      (#"{"error":"The item does not exist"}"#, "The item does not exist"),
      (#"{"name":"JsonWebTokenError","message":"invalid signature"}"#, "invalid signature"),
      // Mobile Apps, .NET
      (
        #"{"message":"The request is invalid.","modelState":{"item.Text":["Text is required."]}}"#,
        "The request is invalid.: Text is required."
      ),
      // Datasync
      (
        #"{"title":"Some errors occurred.","status":400,"errors":{"Text":["A","B"],"Due":["C"]}}"#,
        "Some errors occurred.: A; B; C"
      ),
      (#"{"status":400,"detail":"no such header"}"#, "no such header"),
      (#"{"description":"why","message":"no"}"#, "why"),
      (#"{"error":{"code":"x","message":"inner"}}"#, "inner"),
      (#"{"error":7,"message":"second"}"#, "second"), (#"{"error":"","title":"t"}"#, "t"),
      (#""just text""#, "just text"),
      (#"{"error":"a\u001b[2J\nb"}"#, "a\u{1b}[2J\nb"),
      // Rows and other JSON say nothing.
      (#"{"id":"a1","text":"milk"}"#, "bad request"), ("[]", "bad request"), ("{}", "bad request"),
    ])
  func areFound(body: String, expected: String) {
    #expect(words(.json(400, body)) == expected)
  }

  @Test("plain text is taken as it is; what is empty or a web page has the status's name")
  func otherBodies() {
    #expect(words(.plain(401, "You must be logged in\n")) == "You must be logged in")
    #expect(
      words(.plain(400, "Syntax error at 3 in '$filter'")) == "Syntax error at 3 in '$filter'")
    #expect(words(.empty(410)) == "gone")
    #expect(words(.empty(599)) == "the server failed")
    #expect(words(.page(404)) == "not found")
    #expect(words(.plain(404, "  <!doctype html><h1>x</h1>")) == "not found")
    #expect(words(HTTPAnswer(status: 502, body: Array("<html>".utf8))) == "bad gateway")
    #expect(words(.json(500, "<html>")) == "internal server error")
  }

  @Test(
    "an answer is a page by its text; its media type counts only for a text that is no JSON",
    arguments: [
      ("<html>", "application/json", true), ("\u{FEFF} \n<!DOCTYPE html>", "", true),
      ("Cannot GET /tables", "text/html; charset=utf-8", true), ("", "application/xhtml+xml", true),
      ("[]", "text/html", false), (" {}", "text/html", false),
      ("Gone fishing", "text/plain", false),
    ])
  func pages(body: String, type: String, isMarkup: Bool) {
    let headers = [HTTPField("content-type", type)]
    let answer = HTTPAnswer(status: 200, headers: headers, body: Array(body.utf8))
    #expect(answer.isMarkup == isMarkup)
  }

  @Test(
    "the title of a page is one line of 60 characters at most",
    arguments: [
      ("<html><head><title>Hotel login</title>", "Hotel login"),
      ("<TITLE lang=en>\n  Hotel\t\r\n login </TITLE>", "Hotel login"),
      (
        "<title>\u{1b}[2J\(String(repeating: "x", count: 10_000))",
        "\u{1b}[2J\(String(repeating: "x", count: 56))…"
      ),
      ("<title></title>", nil), ("<h1>Hotel</h1>", nil), ("<title", nil), ("", nil),
    ] as [(String, String?)])
  func titles(body: String, title: String?) {
    #expect(HTTPAnswer(status: 200, body: Array(body.utf8)).title == title)
  }

  @Test("203 counts as 200, and a byte order mark is no part of the body")
  func normalised() {
    let answer = HTTPAnswer(status: 203, body: [0xEF, 0xBB, 0xBF] + Array("[]".utf8))
    #expect(answer == HTTPAnswer(status: 200, body: Array("[]".utf8)))
  }
}
