import CommandSupport
import Commands
import Glibc
import TestSupport
import Testing

extension Person {
  /// The files below the person's directory, with their contents, but for those of the workspace.
  var surroundings: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    var open = ["."]
    while let place = open.popLast() {
      for name in directory.names(in: place) {
        let path = place == "." ? name : "\(place)/\(name)"
        guard path != "list/.todosync" else { continue }
        if directory.names(in: path).isEmpty {
          files[path] = directory.read(path) ?? []
        } else {
          open.append(path)
        }
      }
    }
    return files
  }

  /// The names of the item files.
  var items: [String] {
    directory.names(in: "list/.todosync/items/todoitem")
  }

  /// The texts in quarantine.
  var quarantined: [String] {
    directory.names(in: "list/.todosync/quarantine/todoitem").compactMap {
      directory.text("list/.todosync/quarantine/todoitem/\($0)")
    }
  }

  /// Expects that nothing is pending and that the doctor finds nothing.
  func expectClean(quarantined: Int = 0, _ location: SourceLocation = #_sourceLocation) {
    let doctor = run("doctor")
    #expect(doctor.status == 0, "\(doctor.output)\(doctor.error)", sourceLocation: location)
    let status = run("status", "--porcelain")
    let kept = "# quarantined todoitem \(quarantined) .todosync/quarantine/todoitem\n"
    #expect(
      status.output == "# tsync.status 1\n" + (quarantined == 0 ? "" : kept),
      sourceLocation: location)
  }

  /// Makes a workspace of a server's tables; what the cloning says is the outcome.
  func clone(_ table: HostileTable) -> Outcome { run("clone", table.url, "list") }
}

extension Outcome {
  /// Whether nothing was written that a terminal would obey.
  var isPrintable: Bool {
    (output + error).unicodeScalars.allSatisfy {
      $0 == "\n"
        || ($0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value))
          && $0.properties.generalCategory != .format
    }
  }
}
