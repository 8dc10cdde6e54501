import Glibc
import SyncModel
import SystemPackage

/// An append-only file of JSON lines, each with its number and its checksum
/// (tsync-log-format(5)).
///
/// A header line, then `{"n":17,"d":16,…,"crc":"5b9de02f"}`: `n` counts the lines, `d` is the last
/// line known to be durable when the line was written, `crc` is taken over the header's salt and the
/// line's bytes before `,"crc"`. So a reader knows whether a bad line was cut off by a crash, which ends
/// the log, or was destroyed later, which stops the program.
///
/// It is a class because it has what an open file has: one place where it ends. Whoever writes holds
/// the workspace's lock.
final class Log {
  /// The path for messages.
  let place: String
  /// The first line; `nil` while there is no file.
  private(set) var header: LogHeader?
  /// Where the lines end.
  private(set) var position = LogPosition(offset: 0, number: 0, durable: 0, checksum: 0)
  /// What a person should know: what was cut off.
  private(set) var notices: [String] = []
  /// How many bytes lie behind the valid lines, as of the last reading: what a crash left.
  private(set) var tail = 0

  private let name: String
  private let directory: Directory?
  private let kind: LogKind
  private let isWriting: Bool
  private let trash: Trash
  private var descriptor: Int32 = -1
  private var isBroken = false
  /// Whether the file's name survives a power loss; of one that is there whoever opens the workspace has seen
  /// to that.
  private var isNamed = true

  /// Opens a log and reads its header; the lines are to be read next.
  ///
  /// A file that isn't there, or is empty, is a log without lines; the first append makes it. So is
  /// one in a directory that isn't there, and that takes none.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, a header that is damaged or of another format.
  init(
    opening name: String, in directory: Directory?, kind: LogKind, writing: Bool, trash: Trash
  ) throws(WorkspaceError) {
    self.name = name
    self.directory = directory
    self.kind = kind
    self.isWriting = writing
    self.trash = trash
    place = directory?.place(of: name) ?? name
    guard let directory else { return }
    do throws(WorkspaceError) {
      descriptor = try directory.openFile(name, writing ? O_RDWR | O_APPEND : O_RDONLY)
    } catch {
      guard case .file(_, .noSuchFileOrDirectory) = error else { throw error }
      return
    }
    try readHeader()
  }

  /// Makes a log that takes the place of a file that can't be read any more.
  ///
  /// Nothing is written before ``create(extra:_:)``, nor read at all; the count of lines goes on behind
  /// `number`.
  init(
    replacing name: String, in directory: Directory, kind: LogKind, after number: Int, trash: Trash
  ) {
    self.name = name
    self.directory = directory
    self.kind = kind
    self.trash = trash
    isWriting = true
    place = directory.place(of: name)
    position.number = number
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether there is no file yet.
  var isNew: Bool { header == nil }

  /// How many bytes the valid lines and the header have.
  var size: Int { position.offset }

  /// How many valid lines there are, the header not counted.
  var lineCount: Int { position.number - (header?.number ?? 0) }

  private func readHeader() throws(WorkspaceError) {
    var text = try FileBytes.read(4 << 10, from: descriptor, at: 0, place: place)
    if text.count == 4 << 10, !text.contains(0x0A) {
      text = try FileBytes.read(1 << 20, from: descriptor, at: 0, place: place)
    }
    if text.isEmpty {
      close(descriptor)
      descriptor = -1
      return
    }
    guard let end = text.firstIndex(of: 0x0A) else { throw LogHeader.damage(place) }
    let header = try LogHeader(parsing: Array(text[..<end]), kind: kind, place: place)
    self.header = header
    position = LogPosition(behind: header, of: end + 1)
  }

  // MARK: Reading

  /// Reads all lines, or those behind a position known to end a line.
  ///
  /// Behind the last valid line, what a crash left is ignored; who writes cuts it off and keeps it
  /// in the trash.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage; what `each` throws.
  func read(
    after start: LogPosition? = nil, _ each: (LogLine) throws(WorkspaceError) -> Void
  ) throws(WorkspaceError) {
    guard let header else { return }
    var reader = LogReader(descriptor, place: place, header: header, from: start ?? position)
    try reader.read(each)
    position = reader.position
    tail = reader.tail
    if tail > 0, isWriting { try cut(tail) }
  }

  /// Finds where the lines end by the last valid one alone; by all of them if there is none in the last bytes.
  ///
  /// Damage before that line is not met. What lies behind it is cut off, as by ``read(after:_:)``.
  ///
  /// - Parameter limit: How many bytes a line has at most.
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func findEnd(within limit: Int) throws(WorkspaceError) {
    guard let header else { return }
    var status = stat()
    try WorkspaceError.checking(place) { fstat(descriptor, &status) }
    let size = Int(status.st_size)
    let start = max(position.offset, size - 2 * limit)
    let text = try FileBytes.read(max(0, size - start), from: descriptor, at: start, place: place)
    let last = text.withUnsafeBytes { bytes -> LogPosition? in
      var end = bytes.count
      while end > 0 {
        let first = bytes[..<(end - 1)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        if let line = LogLine(
          UnsafeRawBufferPointer(rebasing: bytes[first..<end]), seed: header.seed)
        {
          return LogPosition(
            offset: start + end, number: line.number, durable: line.durable, checksum: line.checksum
          )
        }
        end = first
      }
      return nil
    }
    guard let last else { return try read { _ in } }
    position = last
    tail = size - last.offset
    if tail > 0, isWriting { try cut(tail) }
  }

  /// Returns whether a position that was noted earlier ends a line of this file.
  func vouches(for position: LogPosition) throws(WorkspaceError) -> Bool {
    guard !isNew, position.offset >= LogLine.tailLength else { return false }
    let tail = try FileBytes.read(
      LogLine.tailLength, from: descriptor, at: position.offset - LogLine.tailLength, place: place)
    return tail.count == LogLine.tailLength
      && tail.withUnsafeBytes { LogLine.checksum(in: $0, at: 0) } == position.checksum
  }

  /// Reads one line again, and hands out its members.
  ///
  /// - Throws: ``WorkspaceError/damaged`` if there is no valid line at this place.
  func line<Result>(
    at offset: Int, length: Int, _ body: (LogLine) throws(WorkspaceError) -> Result
  ) throws(WorkspaceError) -> Result {
    // The place may be one that somebody made up: no room is made for what lies behind the end.
    let isThere = offset >= 0 && offset <= position.offset && length <= position.offset - offset
    let bytes =
      isThere ? try FileBytes.read(length, from: descriptor, at: offset, place: place) : []
    let seed = header?.seed ?? Checksum()
    let result: Result? = try bytes.withUnsafeBufferPointer { (buffer) throws(WorkspaceError) in
      guard buffer.count == length,
        let line = LogLine(UnsafeRawBufferPointer(buffer), seed: seed)
      else { return nil }
      return try body(line)
    }
    guard let result else {
      throw .damaged(
        place: place, line: nil, fact: "the line at byte \(offset) is not valid")
    }
    return result
  }

  /// Cuts off what a crash left behind the last valid line.
  private func cut(_ count: Int) throws(WorkspaceError) {
    let tail = try FileBytes.read(count, from: descriptor, at: position.offset, place: place)
    let stem = name.utf8.firstIndex(of: UInt8(ascii: ".")).map { name[..<$0] } ?? name[...]
    let copy = try trash.keep(tail, named: "\(stem)-tail")
    try copyIfLinked()
    try WorkspaceError.checking(place) { ftruncate(descriptor, off_t(position.offset)) }
    try makeDurable()
    self.tail = 0
    notices.append("\(place): moved \(count) bytes that a crash left to \(copy)")
  }

  // MARK: Writing

  /// Appends lines by one write.
  ///
  /// They are in the file when this returns, but survive a power loss only after ``synchronize()``.
  ///
  /// - Parameter records: The members of each line, as compact JSON without the braces.
  /// - Returns: Where in the file each line lies.
  /// - Throws: ``WorkspaceError``: then no line was appended.
  @discardableResult
  func append(_ records: [[UInt8]]) throws(WorkspaceError) -> [Range<Int>] {
    var places: [Range<Int>] = []
    places.reserveCapacity(records.count)
    guard let header else {
      try create { writer throws(WorkspaceError) in
        for members in records { places.append(try writer.write(members)) }
      }
      return places
    }
    try checkEnd()
    try copyIfLinked()
    var text: [UInt8] = []
    text.reserveCapacity(records.reduce(0) { $0 + $1.count + 48 })
    var next = position
    for members in records {
      let start = text.count
      next.number += 1
      next.checksum = LogLine.write(
        members, number: next.number, durable: position.durable, seed: header.seed, into: &text)
      places.append(position.offset + start..<position.offset + text.count)
    }
    next.offset += text.count
    do throws(WorkspaceError) {
      try FileBytes.write(text, to: descriptor, place: place)
    } catch {
      // What was written of it must not stay: the next line would follow half a line.
      if ftruncate(descriptor, off_t(position.offset)) != 0 { isBroken = true }
      throw error
    }
    position = next
    return places
  }

  /// Makes all lines so far survive a power loss.
  ///
  /// - Throws: ``WorkspaceError/file`` where that fails; after that the log takes no more lines.
  func synchronize() throws(WorkspaceError) {
    guard !isNew, position.durable < position.number || !isNamed else { return }
    try checkEnd()
    try makeDurable()
  }

  /// Makes the file as it is survive a power loss.
  ///
  /// Where that fails it is not tried again, because a second try would succeed without having
  /// written what the first one lost: all lines go into a new file.
  ///
  /// - Throws: ``WorkspaceError/file`` where that fails too; after that the log takes no more lines.
  private func makeDurable() throws(WorkspaceError) {
    // Not again after an interrupt either: what failed once may be gone.
    if fdatasync(descriptor) != 0 {
      isBroken = true
      try writeAnew(checking: true)
      isBroken = false
    }
    if !isNamed { try nameDurably() }
    position.durable = position.number
  }

  /// Makes the file's name survive a power loss.
  private func nameDurably() throws(WorkspaceError) {
    guard let directory else { return }
    isBroken = true
    try directory.synchronize()
    isBroken = false
    isNamed = true
  }

  /// Puts a copy in the place of a file that has a second name, and leaves the file as it is: a copy of the
  /// workspace by links shares the log, but not the items that the next lines are about.
  private func copyIfLinked() throws(WorkspaceError) {
    var status = stat()
    try WorkspaceError.checking(place) { fstat(descriptor, &status) }
    if status.st_nlink > 1 { try writeAnew(checking: false) }
  }

  /// Puts a new file with the same lines in the file's place; it survives a power loss.
  private func writeAnew(checking: Bool) throws(WorkspaceError) {
    guard let directory, let header else { throw .file(place: place, .noSuchFileOrDirectory) }
    let text = try FileBytes.read(position.offset, from: descriptor, at: 0, place: place)
    guard text.count == position.offset, let end = text.firstIndex(of: 0x0A) else {
      throw .file(place: place, .ioError)
    }
    let start = LogPosition(behind: header, of: end + 1)
    let new = try directory.replace(name, O_APPEND, durably: true) { new throws(WorkspaceError) in
      try FileBytes.write(text, to: new, place: place)
      // What couldn't be written may be gone from memory as well.
      guard checking else { return }
      try LogReader.check(new, place: place, header: header, from: start, to: position)
    }
    close(descriptor)
    descriptor = new
    isNamed = false
  }

  /// Replaces the file by a new one, in one durable step; the count of lines goes on.
  ///
  /// - Parameters:
  ///   - extra: What the new header says beyond its own members.
  ///   - fill: Writes the lines; the former file can still be read meanwhile.
  /// - Throws: ``WorkspaceError``, or what `fill` throws: then the file is as it was.
  func create(
    extra: JSONObject = JSONObject(),
    _ fill: (inout LogWriter) throws(WorkspaceError) -> Void = { _ in }
  ) throws(WorkspaceError) {
    guard let directory else { throw .file(place: place, .noSuchFileOrDirectory) }
    let header = LogHeader(kind: kind, after: position.number, extra: extra)
    var end = position
    let new = try directory.replace(name, O_APPEND, durably: true) { new throws(WorkspaceError) in
      var writer = LogWriter(to: new, header: header, place: place)
      try fill(&writer)
      try writer.flush()
      end = writer.position
    }
    if descriptor >= 0 { close(descriptor) }
    descriptor = new
    self.header = header
    position = end
    isNamed = false
    try nameDurably()
  }

  /// Makes sure that the file still ends where this log's last line does.
  private func checkEnd() throws(WorkspaceError) {
    guard !isBroken else { throw .file(place: place, .ioError) }
    var status = stat()
    try WorkspaceError.checking(place) { fstat(descriptor, &status) }
    guard Int(status.st_size) == position.offset else {
      throw .damaged(
        place: place, line: nil, fact: "another program wrote to it")
    }
  }
}
