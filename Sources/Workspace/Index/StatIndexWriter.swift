import Glibc
import SyncEngine
import SyncModel
import SystemPackage

/// Writes a new index beside the old one, and puts it in its place.
struct StatIndexWriter {
  private let directory: Directory
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var checksum = Checksum()
  private var written = 0

  /// Replaces the index, under the workspace's lock.
  ///
  /// It is not made to survive a power loss: what is left of it then has the wrong checksum.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``: then the old index stays.
  static func write(
    _ images: [TableImage], boot: Text = LogHeader.currentBoot, to directory: Directory
  ) throws(WorkspaceError) {
    let new = try directory.replace(StatIndex.name, durably: false) { new throws(WorkspaceError) in
      var writer = Self(directory: directory, descriptor: new)
      try writer.write(images, boot)
    }
    close(new)
  }

  private init(directory: Directory, descriptor: Int32) {
    self.directory = directory
    self.descriptor = descriptor
  }

  private mutating func write(_ images: [TableImage], _ boot: Text) throws(WorkspaceError) {
    // The description says the checksums of what stands behind it, and is written last, filled up
    // with blanks to a length that holds any numbers.
    let room = StatIndex.padded(
      images.reduce(256) {
        let open = $1.base.rows.open
        let lines: [JSON] =
          Self.lines(open.attempts) + Self.lines(open.refusals) + Self.renames(open.renames)
          + Self.state($1.base)
        return $0 + 1_024
          + JSON.array(lines).encoded().count
      })
    let place = directory.place(of: StatIndex.name)
    let start = StatIndex.headerLength + room
    try WorkspaceError.checking(place) { lseek(descriptor, off_t(start), SEEK_SET) }
    var descriptions: [JSON] = []
    for image in images { descriptions.append(.object(try write(image))) }
    var content = JSONObject()
    content.append("boot", .string(boot))
    content.append("tables", .array(descriptions))
    var text = JSON.object(content).encoded()
    text.append(contentsOf: repeatElement(0x20, count: max(0, room - text.count)))
    var header: [UInt8] = []
    withUnsafeBytes(of: StatIndex.magic) { header.append(contentsOf: $0) }
    withUnsafeBytes(of: UInt32(text.count)) { header.append(contentsOf: $0) }
    let textChecksum = text.withUnsafeBytes { Checksum(of: $0).value }
    withUnsafeBytes(of: textChecksum) { header.append(contentsOf: $0) }
    try WorkspaceError.checking(place) { lseek(descriptor, 0, SEEK_SET) }
    try FileBytes.write(header + text, to: descriptor, place: place)
  }

  private mutating func write(_ image: TableImage) throws(WorkspaceError) -> JSONObject {
    let base = image.base
    var object = JSONObject()
    object.append("table", .string(base.table.text))
    object.append("generation", .string(base.generation))
    object.append("offset", .integer(base.position.offset))
    object.append("number", .integer(base.position.number))
    object.append("durable", .integer(base.position.durable))
    object.append("line", .integer(Int(base.position.checksum)))
    object.append("state", .array(Self.state(base)))
    object.append("live", .integer(base.rows.liveCount))
    object.append("bytes", .integer(base.rows.effectiveBytes))
    object.append("device", .integer(image.device))
    if let stamp = image.directory { object.append("directory", stamp.json) }
    object.append("count", .integer(image.count))
    object.append("arrivals", .integer(image.arrivalCount))
    object.append("attempts", .array(Self.lines(base.rows.open.attempts)))
    object.append("refusals", .array(Self.lines(base.rows.open.refusals)))
    object.append("renames", .array(Self.renames(base.rows.open.renames)))
    object.append("at", .integer(written))
    let nameBytes = try writeEntries(image)
    try image.forEach { id, _, _, _ throws(WorkspaceError) in try write(id) }
    try fill()
    object.append("names", .integer(nameBytes))
    object.append("checksum", .integer(Int(try takeChecksum())))
    try writeDigests(image)
    try flush(at: 0)
    checksum = Checksum()
    return object
  }

  /// The places of lines, as the description of a table tells them.
  private static func lines(_ lines: [ItemID: JournalEntry]) -> [JSON] {
    lines.sorted { $0.key < $1.key }.map { id, entry in
      [.string(id.text), .integer(entry.offset), .integer(Int(entry.length))]
    }
  }

  private static func state(_ base: Journal) -> [JSON] {
    base.rows.state.facts(in: base.table).map { .object(JournalLine.object($0)) }
  }

  private static func renames(_ renames: [ItemID: ItemID]) -> [JSON] {
    renames.sorted { $0.key < $1.key }.map { [.string($0.key.text), .string($0.value.text)] }
  }

  private mutating func writeEntries(_ image: TableImage) throws(WorkspaceError) -> Int {
    var nameStart: UInt32 = 0
    try image.forEach { id, entry, stamp, hasFile throws(WorkspaceError) in
      var flags: IndexedTable.Flags = []
      if entry.isTombstone { flags.insert(.tombstone) }
      if stamp != nil { flags.insert(.stamped) }
      if PlainName.isPlain(id) { flags.insert(.plainName) }
      if entry.digest != nil { flags.insert(.digest) }
      if entry.isOver { flags.insert(.over) }
      if hasFile { flags.insert(.file) }
      let numbers = (
        stamp?.modified ?? 0, stamp?.changed ?? 0, stamp?.inode ?? 0, entry.offset, entry.length,
        stamp?.size ?? 0, nameStart, UInt16(id.count), flags.rawValue
      )
      // The tuple is laid out as the entry is: every part lies at a multiple of its size.
      put(numbers)
      nameStart += UInt32(id.count)
      try flush(at: 64 << 10)
    }
    return Int(nameStart)
  }

  private mutating func writeDigests(_ image: TableImage) throws(WorkspaceError) {
    try image.forEach { _, entry, _, _ throws(WorkspaceError) in
      let bits = entry.digest?.bits
      put((bits?.high ?? 0, bits?.low ?? 0))
      try flush(at: 64 << 10)
    }
  }

  private mutating func put<Value>(_ value: Value) {
    withUnsafeBytes(of: value) { buffer.append(contentsOf: $0) }
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer) throws(WorkspaceError) {
    buffer.append(contentsOf: bytes)
    try flush(at: 64 << 10)
  }

  private mutating func fill() throws(WorkspaceError) {
    let length = written + buffer.count
    buffer.append(contentsOf: repeatElement(0, count: StatIndex.padded(length) - length))
  }

  private mutating func flush(at limit: Int) throws(WorkspaceError) {
    guard buffer.count >= limit else { return }
    checksum.add(buffer)
    try FileBytes.write(buffer, to: descriptor, place: directory.place(of: StatIndex.name))
    written += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func takeChecksum() throws(WorkspaceError) -> UInt32 {
    try flush(at: 0)
    defer { checksum = Checksum() }
    return checksum.value
  }
}
