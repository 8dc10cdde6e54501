import SyncEngine
import SyncModel

/// The survey that a push would start from, and its safety stop.
struct PushPreview {
  let survey: Survey
  /// The reason why the push would send nothing, if there is one.
  let stop: Stop?

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
