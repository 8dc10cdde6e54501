import ArgumentParser
import Glibc
import TableServer

/// Reads a whole store, and says what is damaged in it.
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check each row of a store.")

  @OptionGroup var storeOption: StoreOption

  func run() async throws {
    let store = try await Stores.kept(storeOption.store, mustExist: true)
    let (check, state) = (try await StoreCheck(of: store), try await store.state())
    try await store.close()
    for count in check.counts {
      let words = "\(count.scope.table)\t\(count.rows) rows\t\(count.tombstones) deleted\n"
      Output.write(words, to: STDOUT_FILENO)
    }
    for damage in check.damage.dropLast() { ServerFailure(damage).report() }
    if let last = check.damage.last { throw last }
    guard state == .open else {
      throw ServerFailure("\(storeOption.store) \(state.words(storeOption.store))", status: 8)
    }
  }
}
