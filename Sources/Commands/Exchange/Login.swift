import Remote
import SyncEngine
import SyncModel
import Workspace

extension Authorization {
  /// Finds an origin's token, from `credential.command` or the token file, and its application key.
  ///
  /// - Throws: `WorkspaceError` if others can read the token file, ``Problem`` if the command
  ///   prints no token.
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
    } else {
      self.init(token: try kept(name), key: key)
    }
  }
}

extension Secret {
  /// Takes the first line that the command prints; its argument is the origin.
  fileprivate init(printedBy command: String, for origin: Origin, _ context: Context) throws {
    var program = Program.shell(command, [origin.description], in: context.invocation)
    program.isCaptured = true
    let ending = try context.invocation.run(program)
    guard ending.status == 0 else {
      throw Problem(.unauthorized, "credential.command ended with status \(ending.status)")
    }
    let line = ending.output.prefix { $0 != UInt8(ascii: "\n") }
    guard let text = Text(validating: line) else {
      throw Problem(.unauthorized, "credential.command printed no token")
    }
    try self.init(text)
  }
}

/// Tokens that a person gives for an origin.
enum Login {
  /// Reads a token from a file, `-` for standard input, or asks for it on the terminal.
  ///
  /// `TSYNC_TOKEN_FILE` is the default. Without a file there is no token unless it `asks`.
  static func token(
    file: String?, for origin: Origin, asks: Bool, _ context: Context
  ) throws -> Text? {
    let line: [UInt8]?
    switch file ?? context.invocation.environment.nonEmpty("TSYNC_TOKEN_FILE") {
    case nil where !asks: return nil
    case nil where context.canAsk:
      line = try context.askSecretly(Line("token for \(origin):"))
    // tsync can't ask, and the terminal would show an unasked token.
    case nil where context.invocation.input.isTerminal:
      throw Problem.usage(
        "no token was given", hints: ["to read it from a file: --token-file FILE"])
    case nil, "-": line = try context.invocation.input.line()
    case let path?: return try secret(inFile: path, "token", context)
    }
    guard let text = line.flatMap({ Text(validating: $0) }) else {
      throw Problem.usage("no token was given")
    }
    // Refuses an invalid token before it is kept.
    _ = try Secret(text)
    return text
  }

  /// Reads a token or application key (`word`) from a file that only its user can read.
  static func secret(inFile path: String, _ word: String, _ context: Context) throws -> Text {
    do {
      guard let secret = try Credentials.token(inFile: context.path(path)) else {
        throw Problem.usage(
          "\(path) contains no \(word): expected one line of visible ASCII characters")
      }
      return secret
    } catch WorkspaceError.file(_, let error) {
      // The one file that the command line names is wrong.
      throw Problem.usage("\(path): \(error)")
    }
  }

  static func keep(
    _ secret: Text, for origin: Origin, isKey: Bool = false, _ context: Context
  ) throws {
    guard let credentials = context.credentials else {
      throw Problem.usage("no token can be kept: HOME and XDG_CONFIG_HOME are not set")
    }
    let name = Text(origin.description)
    try credentials.set(secret, for: isKey ? Credentials.applicationKey(of: name) : name)
  }
}
