import Glibc
import SimulatedCalls

// The calls as C makes them (SimulatedCalls/calls.c).

private func files(_ mounted: UnsafeMutableRawPointer) -> SimulatedFiles {
  Unmanaged<SimulatedFiles>.fromOpaque(mounted).takeUnretainedValue()
}

private func text(_ name: UnsafePointer<CChar>) -> String { String(cString: name) }

@_cdecl("tsync_sim_open")
func simulatedOpen(
  _ mounted: UnsafeMutableRawPointer, _ directory: CInt, _ name: UnsafePointer<CChar>,
  _ flags: CInt, _ mode: CUnsignedInt
) -> Int { files(mounted).open(directory, text(name), flags, mode) }

@_cdecl("tsync_sim_close")
func simulatedClose(_ mounted: UnsafeMutableRawPointer, _ descriptor: CInt) -> Int {
  files(mounted).close(descriptor)
}

@_cdecl("tsync_sim_read")
func simulatedRead(
  _ mounted: UnsafeMutableRawPointer, _ descriptor: CInt, _ buffer: UnsafeMutableRawPointer,
  _ count: Int, _ offset: Int
) -> Int {
  files(mounted).read(
    descriptor, UnsafeMutableRawBufferPointer(start: buffer, count: count), at: offset)
}

@_cdecl("tsync_sim_write")
func simulatedWrite(
  _ mounted: UnsafeMutableRawPointer, _ descriptor: CInt, _ bytes: UnsafeRawPointer, _ count: Int
) -> Int {
  files(mounted).write(descriptor, UnsafeRawBufferPointer(start: bytes, count: count))
}

@_cdecl("tsync_sim_seek")
func simulatedSeek(
  _ mounted: UnsafeMutableRawPointer, _ descriptor: CInt, _ offset: Int, _ whence: CInt
) -> Int { files(mounted).seek(descriptor, offset, whence) }

@_cdecl("tsync_sim_truncate")
func simulatedTruncate(
  _ mounted: UnsafeMutableRawPointer, _ descriptor: CInt, _ size: Int
) -> Int { files(mounted).truncate(descriptor, size) }

@_cdecl("tsync_sim_status")
func simulatedStatus(
  _ mounted: UnsafeMutableRawPointer, _ descriptor: CInt, _ name: UnsafePointer<CChar>?,
  _ status: UnsafeMutablePointer<stat>
) -> Int { files(mounted).status(descriptor, name.map(text), &status.pointee) }

@_cdecl("tsync_sim_mode")
func simulatedMode(
  _ mounted: UnsafeMutableRawPointer, _ descriptor: CInt, _ mode: CUnsignedInt
) -> Int { files(mounted).setMode(descriptor, mode) }

@_cdecl("tsync_sim_synchronize")
func simulatedSynchronize(_ mounted: UnsafeMutableRawPointer, _ descriptor: CInt) -> Int {
  files(mounted).synchronize(descriptor)
}

@_cdecl("tsync_sim_synchronize_all")
func simulatedSynchronizeAll(_ mounted: UnsafeMutableRawPointer) -> Int {
  files(mounted).synchronizeAll()
}

@_cdecl("tsync_sim_entries")
func simulatedEntries(
  _ mounted: UnsafeMutableRawPointer, _ descriptor: CInt, _ buffer: UnsafeMutableRawPointer,
  _ size: Int
) -> Int {
  files(mounted).entries(descriptor, UnsafeMutableRawBufferPointer(start: buffer, count: size))
}

@_cdecl("tsync_sim_make_directory")
func simulatedMakeDirectory(
  _ mounted: UnsafeMutableRawPointer, _ directory: CInt, _ name: UnsafePointer<CChar>,
  _ mode: CUnsignedInt
) -> Int { files(mounted).makeDirectory(directory, text(name), mode) }

@_cdecl("tsync_sim_remove")
func simulatedRemove(
  _ mounted: UnsafeMutableRawPointer, _ directory: CInt, _ name: UnsafePointer<CChar>,
  _ flags: CInt
) -> Int { files(mounted).remove(directory, text(name), flags) }

@_cdecl("tsync_sim_link")
func simulatedLink(
  _ mounted: UnsafeMutableRawPointer, _ from: CInt, _ old: UnsafePointer<CChar>, _ to: CInt,
  _ new: UnsafePointer<CChar>
) -> Int { files(mounted).link(from, text(old), to, text(new)) }

@_cdecl("tsync_sim_rename")
func simulatedRename(
  _ mounted: UnsafeMutableRawPointer, _ from: CInt, _ old: UnsafePointer<CChar>, _ to: CInt,
  _ new: UnsafePointer<CChar>, _ flags: CUnsignedInt
) -> Int { files(mounted).rename(from, text(old), to, text(new), flags) }

@_cdecl("tsync_sim_lock")
func simulatedLock(
  _ mounted: UnsafeMutableRawPointer, _ descriptor: CInt, _ operation: CInt
) -> Int { files(mounted).lock(descriptor, operation) }
