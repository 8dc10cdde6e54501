/// An edit of a text with one JSON object that keeps all bytes of the unchanged members.
///
/// Order, number texts, indentation, line ends and a byte order mark are kept; a member that goes
/// leaves nothing behind; a member that comes is laid out as its neighbours are; an object within
/// the object is rewritten member by member.
package struct JSONEdit: Sendable {
  /// The object that the text holds.
  package let object: JSONObject
  private let text: [UInt8]
  private let outline: JSONOutline

  /// Reads a text; one byte order mark at its beginning is tolerated.
  ///
  /// - Throws: The first fault; line and column don't count the byte order mark.
  package init(_ text: [UInt8], limits: JSONLimits = .document) throws(JSONError) {
    let body = text.dropFirst(text.starts(with: Self.byteOrderMark) ? 3 : 0)
    guard case .object(let object) = try JSON(parsing: body, limits: limits) else {
      let start = body.firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? body.startIndex
      throw JSONError(at: start - body.startIndex, of: body, "expected an object")
    }
    self.object = object
    self.text = text
    outline = JSONOutline(
      of: text, at: body.firstIndex(of: UInt8(ascii: "{")) ?? body.startIndex)
  }

  /// The first member that stands twice in its object, at any depth, and where the second one is.
  package var duplicate: JSONError? {
    guard let found = JSONOutline.duplicate(in: text, from: outline.start) else { return nil }
    return error(at: found.offset, "'\(found.name)' appears twice in the object")
  }

  /// Returns an error that names the place of a member's value, or the object's where it is absent.
  package func error(at name: Text, _ message: String) -> JSONError {
    let index = object.members.lastIndex { $0.name == name }
    return error(at: index.map { outline.members[$0].value.lowerBound } ?? outline.start, message)
  }

  private func error(at offset: Int, _ message: String) -> JSONError {
    let start = text.starts(with: Self.byteOrderMark) ? 3 : 0
    return JSONError(at: offset - start, of: text[start...], message)
  }

  /// Returns the text with members set to values, or removed where the value is `nil`.
  ///
  /// Values that already mean the same are left as they are; the last value given for a name
  /// counts. Of a member that stands twice the last one takes the value, and the others go.
  package func setting(_ values: [(name: Text, value: JSON?)]) -> [UInt8] {
    let old = object.byName()
    let changes = values.filter { old[$0.name] != $0.value }
    guard !changes.isEmpty else { return text }
    let style = JSONStyle(of: text, outline)
    let edit = ObjectEdit(
      text: text, object: object, outline: outline, style: style, indentation: style.base,
      expands: true)
    return Array(text[..<outline.start]) + edit.setting(changes) + text[(outline.end + 1)...]
  }

  /// Returns the text rewritten so that it means an item; id and system fields stay as they are.
  package func rewritten(as item: Item) -> [UInt8] {
    setting(Change(from: Item(object), to: item).fields.map { ($0.name, $0.new) })
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

/// The rewriting of one object in a text.
private struct ObjectEdit {
  let text: [UInt8]
  let object: JSONObject
  let outline: JSONOutline
  let style: JSONStyle
  /// The indentation of the line that the object begins on.
  let indentation: [UInt8]
  /// Whether members are laid out on lines of their own where nothing in the object says how.
  let expands: Bool
  /// What a new member has before its name.
  private let newLead: [UInt8]
  /// What stands before a comma.
  private let usualTrail: [UInt8]

  init(
    text: [UInt8], object: JSONObject, outline: JSONOutline, style: JSONStyle,
    indentation: [UInt8], expands: Bool
  ) {
    self.text = text
    self.object = object
    self.outline = outline
    self.style = style
    self.indentation = indentation
    self.expands = expands
    switch outline.members.count {
    case 0: newLead = expands ? style.newLine + indentation + style.unit : []
    case 1:
      let first = outline.lead(0, in: text)
      newLead = first.contains(where: JSONStyle.isLineEnd) ? first : style.gap
    case let count: newLead = Self.mostCommon((1..<count).map { outline.lead($0, in: text) })
    }
    usualTrail = Self.mostCommon(
      outline.members.dropLast().map { Array(text[$0.value.upperBound..<$0.end]) })
  }

  /// One member as it will stand: what goes before its name, itself, what goes before the comma.
  private struct Piece {
    var lead, body, trail: [UInt8]
  }

  func setting(_ changes: [(name: Text, value: JSON?)]) -> [UInt8] {
    let new = Dictionary(changes.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    var last: [Text: Int] = [:]
    for (index, member) in object.members.enumerated() { last[member.name] = index }
    var pieces: [Piece] = []
    for (index, member) in object.members.enumerated() {
      switch new[member.name] {
      case nil: pieces.append(piece(index, value: Array(text[outline.members[index].value])))
      case .some(nil): break
      case .some(let value?):
        guard last[member.name] == index else { break }
        pieces.append(piece(index, value: replacement(of: index, with: value)))
      }
    }
    var added = Set<Text>()
    for (name, _) in changes where last[name] == nil && added.insert(name).inserted {
      guard let value = new[name] ?? nil else { continue }
      pieces.append(piece(name, value))
    }
    return joined(pieces)
  }

  private func joined(_ pieces: [Piece]) -> [UInt8] {
    guard !pieces.isEmpty else { return Array("{}".utf8) }
    var result = [UInt8(ascii: "{")]
    for (index, piece) in pieces.enumerated() {
      // The first place keeps what stood after the brace, whichever member is first now.
      result += index == 0 ? (outline.members.isEmpty ? newLead : lead(0)) : piece.lead
      result += piece.body
      if index < pieces.count - 1 {
        result += piece.trail
        result.append(UInt8(ascii: ","))
      }
    }
    result += tail
    result.append(UInt8(ascii: "}"))
    return result
  }

  private func piece(_ index: Int, value: [UInt8]) -> Piece {
    let member = outline.members[index]
    let isLast = index == outline.members.count - 1
    return Piece(
      lead: lead(index), body: text[member.name.lowerBound..<member.value.lowerBound] + value,
      trail: isLast ? usualTrail : Array(text[member.value.upperBound..<member.end]))
  }

  private func piece(_ name: Text, _ value: JSON) -> Piece {
    var body: [UInt8] = []
    name.writeQuoted(into: &body)
    body += colon
    style.write(value, into: &body, indentation: indentation(after: newLead))
    return Piece(lead: newLead, body: body, trail: usualTrail)
  }

  /// Returns the text of a member's new value.
  private func replacement(of index: Int, with value: JSON) -> [UInt8] {
    let member = outline.members[index]
    let inner = indentation(after: lead(index))
    if case .object(let old) = object.members[index].value, case .object(let new) = value,
      old.duplicate == nil, new.duplicate == nil
    {
      let edit = ObjectEdit(
        text: text, object: old, outline: JSONOutline(of: text, at: member.value.lowerBound),
        style: style, indentation: inner ?? [], expands: inner != nil)
      return edit.setting(Self.changes(from: old, to: new))
    }
    var result: [UInt8] = []
    let written = text[member.value]
    let staysOnOneLine = written.count > 2 && !written.contains(where: JSONStyle.isLineEnd)
    let wasComposite = [UInt8(ascii: "["), UInt8(ascii: "{")].contains(written.first)
    style.write(
      value, into: &result, indentation: wasComposite && staysOnOneLine ? nil : inner)
    return result
  }

  private static func changes(
    from old: JSONObject, to new: JSONObject
  ) -> [(name: Text, value: JSON?)] {
    let (before, after) = (old.byName(), new.byName())
    return new.members.filter { before[$0.name] != $0.value }.map { ($0.name, $0.value) }
      + old.members.filter { after[$0.name] == nil }.map { ($0.name, nil) }
  }

  // MARK: What the object's own layout says

  /// What stands before a member's name, after the brace or comma.
  private func lead(_ index: Int) -> [UInt8] { outline.lead(index, in: text) }

  /// What stands between the last member and the closing brace.
  private var tail: [UInt8] {
    guard let last = outline.members.last else {
      return expands ? style.newLine + indentation : []
    }
    return Array(text[last.value.upperBound..<outline.end])
  }

  /// What stands between a name and its value.
  private var colon: [UInt8] {
    guard let last = outline.members.last else { return style.colon }
    let written = Array(text[last.name.upperBound..<last.value.lowerBound])
    return written.contains(where: JSONStyle.isLineEnd) ? style.colon : written
  }

  /// The indentation of a member; `nil` where it doesn't begin a line.
  private func indentation(after lead: [UInt8]) -> [UInt8]? {
    lead.lastIndex(where: JSONStyle.isLineEnd).map { Array(lead[($0 + 1)...]) }
  }

  /// The most common of some texts, of several such the last; empty where there are none.
  private static func mostCommon(_ texts: [[UInt8]]) -> [UInt8] {
    let counts = Dictionary(texts.map { ($0, 1) }, uniquingKeysWith: +)
    let most = counts.values.max()
    return texts.last { counts[$0] == most } ?? []
  }
}
