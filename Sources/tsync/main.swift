import Commands
import Glibc

// Whose files and tokens would these be?
guard getuid() == geteuid(), getgid() == getegid() else {
  let refusal = "tsync: it can't be run with the rights of another user (set-user-ID)\n"
  write(STDERR_FILENO, refusal, refusal.utf8.count)
  exit(6)
}
let arguments = Array(CommandLine.arguments.dropFirst())
// Asked by scripts and by people who wonder what they have: nothing else is worth its time.
if arguments == ["--version"] {
  print("tsync \(Tsync.version)")
  exit(0)
}
exit(Tsync.run(arguments, in: .process()))
