import Testing

@Suite("The manual's sessions do what they show")
struct ManualTests {
  @Test("a page's commands print what stands below them", arguments: try ManualPage.all())
  func session(page: ManualPage) async throws {
    let steps = page.sessions.flatMap { $0 }
    guard !steps.isEmpty else { return }
    let outputs = try await Shell.run(steps.map(\.command))
    for (step, output) in zip(steps, outputs) where !Comparison.matches(output, step.expected) {
      Issue.record(
        """
        \(page.name): $ \(step.command)
        \(Comparison.difference(output, step.expected))
        """)
    }
  }
}
