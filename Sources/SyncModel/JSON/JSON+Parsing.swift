extension JSON {
  /// Parses a whole text, strictly by RFC 8259: UTF-8 without a byte order mark, nothing after it.
  ///
  /// Members that stand twice are kept, and told by ``JSONObject/duplicate``. The parser keeps its
  /// own stack, so that no input can exhaust the program's.
  ///
  /// - Throws: The first fault, with its line and column.
  package init(
    parsing text: [UInt8], limits: JSONLimits = .document
  ) throws(JSONError) {
    try self.init(parsing: text[...], limits: limits)
  }

  /// Parses a part of a text; line and column are counted from that part's beginning.
  ///
  /// - Throws: The first fault.
  package init(
    parsing text: ArraySlice<UInt8>, limits: JSONLimits = .document
  ) throws(JSONError) {
    let result: Result<JSON, JSONFault> = text.withUnsafeBufferPointer { bytes in
      var parser = JSONParser(bytes: bytes, limits: limits)
      do throws(JSONFault) { return .success(try parser.document()) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let value): self = value
    case .failure(let fault): throw JSONError(at: fault.offset, of: text, fault.message)
    }
  }
}
