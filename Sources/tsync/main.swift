import Commands
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
// Asked by scripts and by people who wonder what they have: nothing else is worth its time.
if arguments == ["--version"] {
  print("tsync \(Tsync.version)")
  exit(0)
}
exit(Tsync.run(arguments, in: .process()))
