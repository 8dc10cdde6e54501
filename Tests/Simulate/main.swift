import Glibc
import Simulation

// simulate [--disk memory|files] [--seeds N] [--first N] [--actions N] [--focus WORDS] [--threads N]
//   [--count]
// simulate [--disk memory|files] --replay FILE
// simulate [--first N] [--actions N] [--focus WORDS] --plan
// simulate --mutants
// simulate --plant NAME
//
// Carries out the histories of seeds and says what failed; a failing one is made smaller and printed
// as a plan, to be stored. With --count it says only how many failed. Exit status: 0 when none did.
// The last two are for Tests/mutants, in the repository's directory: the first names the faults, the
// second plants one in the sources and prints the focus of its histories.

let words = Array(CommandLine.arguments.dropFirst())

func value(of option: String) -> String? {
  guard let place = words.firstIndex(of: option), place + 1 < words.count else { return nil }
  return words[place + 1]
}

func number(_ option: String, or usual: UInt64) -> UInt64 {
  value(of: option).flatMap { UInt64($0) } ?? usual
}

let disk = Campaign.Disk(rawValue: value(of: "--disk") ?? "memory") ?? .memory
let campaign = Campaign(
  on: disk, actions: Int(number("--actions", or: 100)),
  focus: try Plan.Focus(text: value(of: "--focus") ?? ""))

func text(of path: String) -> String {
  guard let file = fopen(path, "r") else {
    print("can't read \(path)")
    exit(2)
  }
  defer { fclose(file) }
  var text: [UInt8] = []
  while case let byte = getc(file), byte != EOF { text.append(UInt8(byte)) }
  return String(decoding: text, as: UTF8.self)
}

let planted = value(of: "--plant")
if planted != nil || words.contains("--mutants") {
  let mutants = try Mutant.all(in: text(of: "Tests/Simulation/mutants.txt"))
  guard let planted else {
    print(mutants.map(\.name).joined(separator: "\n"))
    exit(0)
  }
  guard let mutant = mutants.first(where: { $0.name == planted }) else {
    print("there is no mutant \(planted)")
    exit(2)
  }
  for (path, changed) in try mutant.planted(in: text) {
    guard let file = fopen(path, "w") else {
      print("can't write \(path)")
      exit(2)
    }
    fputs(changed, file)
    fclose(file)
  }
  print(mutant.focus)
  exit(0)
}

if let path = value(of: "--replay") {
  let result = try campaign.run(try Plan(text: text(of: path)), keepingTrace: true)
  print(result.trace.joined(separator: "\n"))
  print("reached: \(result.counts.keys.sorted().joined(separator: ", "))")
  print(result.failures.isEmpty ? "passed" : result.failures.joined(separator: "\n"))
  exit(result.failures.isEmpty ? 0 : 1)
}

let first = number("--first", or: 0)
if words.contains("--plan") {
  print(campaign.plan(first).text, terminator: "")
  exit(0)
}
let count = number("--seeds", or: 10_000)
let threads = number("--threads", or: 2)
let start = ContinuousClock.now
let report = try await withThrowingTaskGroup(of: Campaign.Report.self) { group in
  for thread in 0..<threads {
    group.addTask {
      try campaign.run(stride(from: first + thread, to: first + count, by: UInt64.Stride(threads)))
    }
  }
  var all = Campaign.Report()
  for try await report in group { all.add(report) }
  return all
}
let seconds = (ContinuousClock.now - start) / .seconds(1)
let isCounting = words.contains("--count")
print(
  "\(disk.rawValue): \(report.seeds) seeds from \(first), each twice, \(report.failures.count) failed,",
  "\(Int(Double(report.seeds) / seconds)) seeds/s")
if isCounting {
  let letters = Dictionary(grouping: report.failures) { String($0.words.prefix(1)) }
  print(
    letters.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.count)" }.joined(separator: " "))
  exit(report.failures.isEmpty ? 0 : 1)
}
for (name, seen) in report.seen.sorted(by: { $0.value < $1.value }) {
  print("  \(name): \(seen)")
}
// A focus leaves other states out.
let isWhole = report.seeds >= 5_000 && campaign.focus.isEmpty
let missing = isWhole ? campaign.missing(in: report) : []
if report.seeds < 5_000 { print("too few seeds to ask for rare states") }
if !missing.isEmpty { print("hardly ever reached: \(missing.joined(separator: ", "))") }
for (seed, words) in report.failures.sorted(by: { $0.seed < $1.seed }).prefix(10) {
  print("seed \(seed): \(words)")
}
if let (seed, _) = report.failures.min(by: { $0.seed < $1.seed }) {
  let plan = try campaign.shrunk(campaign.plan(seed))
  print("# seed \(seed): \(try campaign.run(plan).failures.first ?? "")")
  print(plan.text, terminator: "")
}
exit(report.failures.isEmpty && missing.isEmpty ? 0 : 1)
