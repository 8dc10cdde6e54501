import Foundation
import Simulation
import Testing

/// A fault that can't be planted any more is found by nobody: it must go with the lines that it is in.
@Suite("Planted faults") struct PlantedFaultTests {
  private static let repository = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(of path: String) throws -> String {
    try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("each planted fault fits the sources, and what its histories look at can be read")
  func fits() throws {
    let mutants = try Mutant.all(in: Self.text(of: "Tests/Simulation/mutants.txt"))
    #expect(mutants.count >= 60)
    #expect(Set(mutants.map(\.name)).count == mutants.count)
    for mutant in mutants {
      #expect(throws: Never.self) {
        for (path, text) in try mutant.planted(in: Self.text) {
          #expect(try text != Self.text(of: path), "\(mutant.name) changes nothing in \(path)")
        }
        _ = try Plan.Focus(text: mutant.focus)
      }
    }
  }

  @Test("lines that are gone, or stand twice, are no place for a fault")
  func places() throws {
    let mutant = try #require(try Mutant.all(in: "name\nfile: f\n- old\n+ new").first)
    #expect(try mutant.planted { _ in "a\n  old\n" } == ["f": "a\n  new\n"])
    for text in ["a", "old\nold", "olds"] {
      #expect(throws: Mutant.Mistake.self) { try mutant.planted { _ in text } }
    }
    #expect(throws: Mutant.Mistake.self) { try Mutant.all(in: "name\n* old") }
  }
}
