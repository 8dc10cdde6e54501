import Remote
import SyncEngine
import SyncModel
import Workspace

extension Authorization {
  /// Finds the token for an origin, what `credential.command` prints or else what was kept, and the
  /// application key that was kept.
  ///
  /// - Throws: `WorkspaceError` where the file of tokens is open to others, ``Failure`` where the
  ///   command brings none.
  init(
    for origin: Origin, _ context: Context, _ configuration: Configuration
  ) throws {
    func kept(_ name: Text) throws -> Secret? {
      try context.credentials?.token(for: name).map { try Secret($0) }
    }
    let name = Text(origin.description)
    let key = try kept(Credentials.applicationKey(of: name))
    if let command = configuration.text("credential.command") {
      let fetch = { try Secret(printedBy: command.string, for: origin, context) }
      self.init(token: try fetch(), key: key, refresh: fetch)
      return
    }
    self.init(token: try kept(name), key: key)
  }
}

extension Secret {
  /// Takes the first line that a command prints, whose argument is the origin.
  fileprivate init(printedBy command: String, for origin: Origin, _ context: Context) throws {
    var program = Program.shell(command, [origin.description], in: context.invocation)
    program.isCaptured = true
    let ending = try context.invocation.run(program)
    guard ending.status == 0 else {
      throw Failure(.unauthorized, "credential.command ended with status \(ending.status)")
    }
    let line = ending.output.prefix { $0 != UInt8(ascii: "\n") }
    guard let text = Text(validating: line) else {
      throw Failure(.unauthorized, "credential.command printed no token")
    }
    try self.init(text)
  }
}

/// A token that a person gives, to be kept for an origin.
enum Login {
  /// Takes a token from a file, from standard input for `-`, or asks for it on the terminal.
  ///
  /// Without a file `TSYNC_TOKEN_FILE` counts; where there is neither, and nobody is to be asked, there
  /// is no token.
  static func token(
    file: String?, for origin: Origin, asks: Bool, _ context: Context
  ) throws -> Text? {
    let file = file ?? context.invocation.environment.nonEmpty("TSYNC_TOKEN_FILE")
    let line: [UInt8]?
    switch file {
    case "-"?: line = try context.invocation.input.line()
    case let path?: return try secret(inFile: path, "token", context)
    case nil:
      guard asks else { return nil }
      // Nobody is to be asked, and what is typed unasked would be shown.
      guard context.canAsk || !context.invocation.input.isTerminal else {
        throw Failure.usage("no token was given", hints: ["name a file: --token-file FILE"])
      }
      line =
        context.canAsk
        ? try context.askSecretly(Line("token for \(origin):"))
        : try context.invocation.input.line()
    }
    guard let text = line.flatMap({ Text(validating: $0) }) else {
      throw Failure.usage("no token was given")
    }
    // What can't be a token is told before it is kept.
    _ = try Secret(text)
    return text
  }

  /// Takes a token or an application key, as `word` says, from a file that only its user can read.
  static func secret(inFile path: String, _ word: String, _ context: Context) throws -> Text {
    let secret: Text?
    do throws(WorkspaceError) {
      secret = try Credentials.token(inFile: context.path(path))
    } catch {
      // The one file that the command line names is wrong.
      guard case .file(_, let error) = error else { throw error }
      throw Failure.usage("\(path): \(error)")
    }
    guard let secret else {
      throw Failure.usage("\(path) holds no \(word): one line of visible ASCII characters")
    }
    return secret
  }

  /// Keeps a token for an origin, or an application key.
  static func keep(
    _ secret: Text, for origin: Origin, isKey: Bool = false, _ context: Context
  ) throws {
    guard let credentials = context.credentials else {
      throw Failure.usage("neither XDG_CONFIG_HOME nor HOME says where tokens are kept")
    }
    let name = Text(origin.description)
    try credentials.set(secret, for: isKey ? Credentials.applicationKey(of: name) : name)
  }
}
