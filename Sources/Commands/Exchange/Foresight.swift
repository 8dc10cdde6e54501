import SyncEngine
import SyncModel

/// What a push would find.
struct Foresight {
  /// How the items stand.
  let survey: Survey
  /// What would stop it before anything is sent; `nil` where nothing would.
  let stop: Stop?

  /// Looks at tables as a push does.
  init(of push: Push, _ tables: [TableName], on disk: some Disk) throws {
    survey = try Survey(of: tables, on: disk)
    do {
      try push.guardDeletions(survey, on: disk)
      stop = nil
    } catch let stop as Stop {
      self.stop = stop
    }
  }
}
