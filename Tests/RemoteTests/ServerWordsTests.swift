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
    #expect(words(.json(500, "<html>")) == "<html>")
  }

  @Test(
    "JSON is known by its media type",
    arguments: [
      ("application/json", true), ("Application/JSON;charset=UTF-8", true),
      ("application/problem+json ; x=y", true), ("text/json", false), ("text/html", false),
      ("", false), ("application/jsonp", false),
    ])
  func mediaType(type: String, isJSON: Bool) {
    let answer = HTTPAnswer(status: 200, headers: [HTTPField("content-type", type)])
    #expect(answer.isJSON == isJSON)
  }
}
