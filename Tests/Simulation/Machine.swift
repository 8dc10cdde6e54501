import SyncEngine
import SyncModel
import TestSupport

/// What a client's user can do at any moment, also while a command runs.
protocol Hands {
  /// The items whose files are there, in a fixed order.
  var items: [ItemKey] { get }
  /// The conflicts of which a client's side lies there, in a fixed order.
  var laidSides: [ItemKey] { get }

  /// Reads a file; `nil` where there is none.
  func text(of key: ItemKey) -> [UInt8]?
  /// Reads a conflict's client side; `nil` where there is none.
  func side(of key: ItemKey) -> [UInt8]?

  /// Saves a file; `nil` removes it. The dice choose among the ways in which editors save.
  mutating func save(_ text: [UInt8]?, as key: ItemKey, _ dice: inout SplitMix64)
  /// Saves a conflict's client side; `nil` removes it.
  mutating func saveSide(_ text: [UInt8]?, of key: ItemKey)
}

/// A client's machine: it runs commands on a disk, and can be killed, lose its power, come back as it
/// was, and lose files.
protocol Machine: AnyObject {
  associatedtype Work: Disk
  associatedtype User: Hands

  /// Makes one.
  init(number: Int) throws

  /// What the user does between commands.
  var user: User { get set }

  /// The name of the call that a step goes ahead of.
  var call: String { get }

  /// Runs one command on the disk.
  ///
  /// `step` is called ahead of each call that changes the disk; where it throws ``Killed``, nothing
  /// reaches the disk any more; where it throws ``Refused``, this call fails.
  ///
  /// - Throws: What the body throws.
  func run(
    step: @escaping (inout User) throws -> Void, _ body: (inout Work) throws -> Void
  ) throws

  /// Lets the user act between two calls of a command; does nothing where a call is whole or not at
  /// all and reading is none.
  func meanwhile(_ body: (inout User) -> Void)

  /// Whether a command that begins while another one runs is refused; `nil` where that can't be
  /// tried.
  func refusesSecondProcess() -> Bool?

  /// Looks at the disk without changing it.
  func look<Result>(_ body: (Work) throws -> Result) throws -> Result

  /// Takes back what a power loss may take back, as chance has it.
  func losePower(_ random: inout SplitMix64)

  /// Whether the disk has lost what was to be made safe, and memory still shows it: then the user is to
  /// start the machine anew (tsync-safety(7)).
  var hasLostWrites: Bool { get }

  /// What the user has saved with an editor that leaves it in memory, and nothing has made safe since.
  var unsafeTexts: [[UInt8]] { get }

  /// The texts that were on their way into their places when a command was killed.
  var leftovers: [[UInt8]] { get }

  /// Every text that tsync keeps: displaced, set aside, of a conflict.
  var kept: [[UInt8]] { get }

  /// What is not as it should be, by the workspace's own examination.
  func findings() -> [String]
  /// Mends what can be mended; returns what is not as it should be after that.
  func mend() -> [String]
  /// Mends what can be mended in a workspace that is open.
  static func mend(_ work: inout Work) throws

  /// Takes away what lies in an item's place and can't be one.
  static func discard(_ key: ItemKey, on work: inout Work) throws

  /// Saves the machine as it is.
  func snapshot()
  /// Brings the machine back as it was saved; answers whether it was.
  func rollBack() -> Bool
  /// Removes the journal.
  func loseJournal()
  /// Removes the stat index.
  func loseIndex()
  /// Removes what a repository leaves out: journals, sides of conflicts, state and index. The
  /// trash stays, so that what was displaced can be looked for.
  func gitClone()

  /// How often what happened inside.
  var counts: [String: Int] { get }
}

/// What kills a command.
package struct Killed: Error { package init() {} }

/// What makes a call of the disk fail.
package struct Refused: Error {
  /// The error's number, as errno(3) names it.
  let number: Int32

  package init(number: Int32) { self.number = number }
}
