import SyncEngine
import SyncModel

/// The questions that tell the dialects apart, and what follows from the answers.
///
/// ```
///   version 3 ──┬─ items, X-Tsync-Dataset ─────────────► datasync
///               ├─ items ──► no version ──┬─ 200 ──────► communityToolkit
///               │                         └─ 400 ──────► datasync
///               ├─ 400 "2.0.0" ──► version 2 ── rows ──► mobileApps
///               ├─ marks of 2014 ──────────────────────► mobileServices
///               ├─ rows with version or updatedAt ─────► mobileApps
///               └─ other rows, or none ──► __systemproperties=* ──┬─ 400 ──► mobileApps
///                       __systemproperties=__none ◄── 200 ────────┘
///                        ├─ 400 ───────────────────────► mobileServices
///                        └─ no rows ───────────────────► unknown
/// ```
///
/// Where a dialect is set, its own question is the only one.
struct DialectDetection {
  /// A question.
  enum Probe: Hashable, CaseIterable {
    /// A list of one, in version 3.
    case version3
    /// The same in version 2.
    case version2
    /// The same without a version.
    case unversioned
    /// The same without a version, for all system properties of 2014.
    case systemProperties
    /// The same for a system property that there isn't.
    case noProperty

    func target(of table: TableName) -> String {
      let property: String? =
        switch self {
        case .systemProperties: "*"
        case .noProperty: "__none"
        case .version3, .version2, .unversioned: nil
        }
      return "tables/\(table)?$top=1" + (property.map { "&__systemproperties=\($0)" } ?? "")
    }

    var fields: [HTTPField] {
      switch self {
      case .version3: Dialect.datasync.fields
      case .version2: Dialect.mobileApps.fields
      case .unversioned: Dialect.communityToolkit.fields
      case .systemProperties, .noProperty: Dialect.mobileServices.fields
      }
    }
  }

  /// What to do next.
  enum Step: Equatable {
    /// Ask this.
    case ask(Probe)
    /// It is known.
    case found(Dialect)
    /// No answer shows it: the table is empty.
    case unknown
    /// It is none that tsync speaks.
    case stop(Stop)
  }

  /// What to do next.
  private(set) var step = Step.ask(.version3)
  /// The data set that the answers tell.
  private(set) var dataset: Text?
  /// The user that the answers tell.
  private(set) var user: Text?

  /// Whether the table has answered a list.
  private(set) var isListed = false

  private let table: TableName
  private let address: ServerAddress
  private let chosen: Dialect?

  /// Begins to find out the dialect, or to see whether the table answers in a chosen one.
  init(table: TableName, at address: ServerAddress, chosen: Dialect? = nil) {
    self.table = table
    self.address = address
    self.chosen = chosen
    switch chosen {
    case .mobileApps?: step = .ask(.version2)
    case .communityToolkit?: step = .ask(.unversioned)
    case .mobileServices?: step = .ask(.systemProperties)
    default: break
    }
  }

  /// Takes an answer to the question that was asked, and its words.
  mutating func take(_ answer: HTTPAnswer, to probe: Probe, refusal: Refusal) {
    dataset = answer.header("X-Tsync-Dataset").map { Text($0) } ?? dataset
    user = answer.header("X-Tsync-User").map { Text($0) } ?? user
    isListed = isListed || answer.status == 200
    let isOld = answer.isMobileServices || hasOldVersions(answer)
    let objection = chosen.flatMap { isOld ? $0.objectionToOld : nil }
    switch (probe, answer.status) {
    case (_, 403): step = .stop(.unauthorized(refusal))
    case _ where objection != nil: step = objection.map(Step.stop) ?? step
    case (_, 200) where chosen.map { rows(of: answer, $0) != nil } ?? false:
      step = chosen.map(Step.found) ?? step
    case _ where chosen != nil && answer.status != 404: step = alienStep(answer, refusal)
    case _ where chosen == nil && isOld && [200, 400].contains(answer.status):
      step = .found(.mobileServices)
    case (.version3, 200): step = afterVersion3(answer, refusal)
    case (.version3, 400): step = afterRefusal(answer, refusal)
    case (.unversioned, 200) where rows(of: answer, .communityToolkit) != nil:
      step = .found(.communityToolkit)
    case (.unversioned, 400): step = .found(.datasync)
    case (.version2, 200) where rows(of: answer, .mobileApps) != nil: step = .found(.mobileApps)
    case (.systemProperties, 200) where rows(of: answer, .mobileServices) != nil:
      step = .ask(.noProperty)
    case (.noProperty, 200) where rows(of: answer, .mobileServices)?.isEmpty == true:
      step = .unknown
    case (.noProperty, 200) where rows(of: answer, .mobileServices) != nil:
      let fact = "the rows of \(table) do not show which dialect the server speaks"
      step = .stop(.notSpeaking(fact, .dialect(nil)))
    case (.noProperty, 400): step = .found(.mobileServices)
    case (.systemProperties, 400): step = .found(.mobileApps)
    // Mobile Apps on Node has a page for tables that it doesn't know.
    case (_, 404) where !answer.isMarkup, (.version2, 404): step = .stop(.noTable(table))
    default: step = alienStep(answer, refusal)
    }
  }

  private func afterVersion3(_ answer: HTTPAnswer, _ refusal: Refusal) -> Step {
    if rows(of: answer, .datasync) != nil {
      return dataset != nil ? .found(.datasync) : .ask(.unversioned)
    }
    guard let rows = rows(of: answer, .mobileApps) else { return alienStep(answer, refusal) }
    let isMarked = answer.header("X-ZUMO-Server-Version") != nil
    if isMarked || rows.contains(where: { $0["version"] != nil || $0["updatedAt"] != nil }) {
      return .found(.mobileApps)
    }
    return .ask(.systemProperties)
  }

  private func afterRefusal(_ answer: HTTPAnswer, _ refusal: Refusal) -> Step {
    let words = refusal.words.bytes
    if words.begins(withWord: HTTPAnswer.oldRefusal) { return .found(.mobileServices) }
    let object = answer.object
    let isMobileApps =
      (object?["error"] != nil || object?["message"] != nil)
      && (words.holds(word: "2.0.0") || words.holds(word: "API version"))
    return isMobileApps ? .ask(.version2) : alienStep(answer, refusal)
  }

  /// Returns the rows of a list in a dialect's form; `nil` where it is none.
  private func rows(of answer: HTTPAnswer, _ dialect: Dialect) -> [JSONObject]? {
    guard
      let envelope = try? PageEnvelope(
        answer.body, rowsMember: dialect.rowsMember, allowsArray: dialect.allowsArray)
    else { return nil }
    return envelope.rows.compactMap { (try? JSON(parsing: answer.body[$0]))?.object }
  }

  private func hasOldVersions(_ answer: HTTPAnswer) -> Bool {
    rows(of: answer, .mobileApps)?.contains { $0["__version"] != nil } ?? false
  }

  private func alienStep(_ answer: HTTPAnswer, _ refusal: Refusal) -> Step {
    if answer.isMarkup { return .stop(.page(answer, at: address)) }
    guard answer.status == 200 else {
      return .stop(.elsewhere("the server answered \(answer.status) \(refusal.words)"))
    }
    let language = chosen.map { " in \($0.name)" } ?? ""
    return .stop(.elsewhere("the response is not a list of rows of table \(table)\(language)"))
  }
}

extension Dialect {
  /// The end that an answer makes which shows that the server speaks Mobile Services (2014), where this
  /// dialect is taken for its own; `nil` where that is it.
  var objectionToOld: Stop? {
    let old = Self.mobileServices
    guard self != old else { return nil }
    return .notSpeaking("the server speaks \(old.title), not \(title)", .dialect(old.name))
  }
}

extension HTTPAnswer {
  /// How Mobile Services refuse requests that name a version; they send it as a web page.
  static let oldRefusal = "This version (1.0.0)"

  /// Whether a server of Mobile Services (2014) says that it is one.
  var isMobileServices: Bool {
    if status == 400, body.trimmed.begins(withWord: Self.oldRefusal) { return true }
    guard let server = header("X-ZUMO-Server-Version") else {
      return header("X-ZUMO-Version") != nil
    }
    return Array(server.utf8).begins(withWord: "nodev1-")
  }
}

extension ListPage {
  /// Whether rows have the versions of Mobile Services (2014) in place of those of Mobile Apps.
  var hasOldVersions: Bool {
    guard case .row(let row) = entries.first, row.version == nil else { return false }
    return (try? JSON(parsing: row.text))?.object?["__version"] != nil
  }
}
