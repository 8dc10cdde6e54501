/// What a status code is called (RFC 9110 §15); for answers that say nothing themselves.
enum StatusPhrase {
  /// Returns the name of a status; what kind it is where it has no name.
  static func of(_ status: Int) -> String {
    names[status] ?? kinds[status / 100] ?? "unknown status"
  }

  private static let kinds = [
    2: "success", 3: "redirection", 4: "the request was refused", 5: "the server failed",
  ]

  private static let names = [
    200: "OK", 201: "created", 202: "accepted", 204: "no content", 301: "moved permanently",
    302: "found elsewhere", 303: "see other", 304: "not modified", 307: "temporary redirect",
    308: "permanent redirect", 400: "bad request", 401: "unauthorized", 402: "payment required",
    403: "forbidden", 404: "not found", 405: "method not allowed", 406: "not acceptable",
    407: "proxy authentication required", 408: "request timeout", 409: "conflict", 410: "gone",
    411: "length required", 412: "precondition failed", 413: "content too large",
    414: "URI too long", 415: "unsupported media type", 421: "misdirected request",
    422: "unprocessable content", 423: "locked", 425: "too early", 426: "upgrade required",
    428: "precondition required", 429: "too many requests",
    431: "request header fields too large", 451: "unavailable for legal reasons",
    500: "internal server error", 501: "not implemented", 502: "bad gateway",
    503: "service unavailable", 504: "gateway timeout", 505: "HTTP version not supported",
    507: "insufficient storage", 511: "network authentication required",
  ]
}
