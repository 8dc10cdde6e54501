import Glibc
import SyncModel
import TestSupport
import Testing

@testable import Commands

@Suite("Patches")
struct PatchTests {
  func text(_ old: String?, _ new: String?) -> String {
    Patch(
      from: old.map { Array($0.utf8) }, named: "old", to: new.map { Array($0.utf8) }, named: "new"
    ).lines.map { $0.text + "\n" }.joined()
  }

  @Test("a changed line stands between three lines of each side")
  func changed() {
    #expect(
      text("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") == """
        --- old
        +++ new
        @@ -2,7 +2,7 @@
         2
         3
         4
        -5
        +five
         6
         7
         8

        """)
  }

  @Test("a text that isn't there is /dev/null")
  func absent() {
    #expect(text(nil, "a\n") == "--- /dev/null\n+++ new\n@@ -0,0 +1 @@\n+a\n")
    #expect(text("a\n", nil) == "--- old\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")
  }

  @Test("a missing line end is told")
  func noLineEnd() {
    #expect(
      text("a", "a\n")
        == "--- old\n+++ new\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n")
  }

  @Test("the same texts have no patch")
  func same() {
    #expect(text("a\n", "a\n").isEmpty)
  }

  @Test("patch(1) makes the new text of the old one", arguments: 0..<20 as Range<UInt64>)
  func applied(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func lines() -> String {
      (0..<Int.random(in: 1...30, using: &random))
        .map { _ in "\(Int.random(in: 0...4, using: &random))\n" }.joined()
    }
    let (old, new) = (lines(), lines())
    let directory = TemporaryDirectory()
    directory.write(old, to: "file")
    directory.write(text(old, new), to: "patch")
    let line = "test ! -s patch || patch -s file patch"
    #expect(try ChildProcess(["sh", "-c", line], in: directory.path).outcome().status == 0)
    #expect(directory.text("file") == new)
  }
}
