import CCurl
import Remote

/// The header fields of a request as libcurl wants them: a list of lines, which it only points to.
struct CurlFieldList: ~Copyable {
  /// The list's first line.
  let first: UnsafeMutablePointer<curl_slist>?
  private let fields: [HTTPField]
  private let library: CurlLibrary

  /// Makes the list of a request's own fields, without those that libcurl would add by itself.
  ///
  /// - Throws: ``TransportError`` of the kind `unavailable` when there is no memory.
  init(_ fields: [HTTPField], library: CurlLibrary) throws(TransportError) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in Self.lines(of: fields) {
      guard let longer = tsync_curl_append(library.table, list, line) else {
        tsync_curl_list_free(library.table, list)
        throw CurlEasy.outOfMemory
      }
      list = longer
    }
    first = list
    self.fields = fields
    self.library = library
  }

  deinit { tsync_curl_list_free(library.table, first) }

  /// Tells whether the list was made of the same bytes, which texts that are equal may not have.
  func isMade(of others: [HTTPField]) -> Bool {
    fields.elementsEqual(others) {
      $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.utf8.elementsEqual($1.value.utf8)
    }
  }

  private static func lines(of fields: [HTTPField]) -> [String] {
    // A bare name takes away a field which libcurl adds by itself.
    let removals = ["Expect:", "Accept:", "Content-Type:"].filter { removal in
      !fields.contains { field in
        field.name.utf8.elementsEqual(removal.utf8.dropLast()) { $0 | 0x20 == $1 | 0x20 }
      }
    }
    // libcurl wants `Name;` for a field without a value.
    return removals + fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
  }
}
