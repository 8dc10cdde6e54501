import SyncEngine
import Testing

@Suite("Guards") struct GuardsTests {
  @Test(
    "so many of a table's items may vanish at once",
    arguments: [
      (live: 0, most: 20), (1, 20), (2, 20), (3, 2), (4, 3), (10, 9), (20, 19), (21, 20), (66, 20),
      (67, 20), (70, 21), (100, 30), (1_000, 300), (100_000, 30_000),
    ])
  func deletions(live: Int, most: Int) {
    #expect(Guards.deletions(of: live) == most)
  }

  @Test(
    "so many of a table's files may have vanished in a push",
    arguments: [
      (live: 0, rest: 0, most: 10), (2, 2, 10), (3, 0, 1), (3, 1, 1), (3, 2, 1), (3, 3, 1),
      (4, 4, 2), (10, 10, 5), (10, 3, 1), (19, 19, 9), (20, 20, 10), (21, 21, 10),
      (1_000, 1_000, 10),
    ])
  func vanished(live: Int, rest: Int, most: Int) {
    #expect(Guards.vanished(of: live, rest: rest) == most)
  }

  @Test(
    "so many of a push's rows may be gone",
    arguments: [(operations: 0, most: 5), (1, 5), (16, 5), (17, 5), (20, 6), (100, 30)])
  func absences(operations: Int, most: Int) {
    #expect(Guards.absences(of: operations) == most)
  }
}
