// swift-tools-version: 6.2
import PackageDescription

// With `TSYNC_FUZZ=1` there are programs that a fuzzer drives, and all targets count what it reaches.
// Without it nothing here has unsafe flags, which a package that others depend on must not have.
let isFuzzing = Context.environment["TSYNC_FUZZ"] == "1"

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (isFuzzing ? [.unsafeFlags(["-enable-testing", "-sanitize=fuzzer"])] : [])

// What the models of the tests play through is optimized in debug builds, too.
let fast: [SwiftSetting] =
  settings + (isFuzzing ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))])

// Each product of another package is named once, so that the targets below read as the graph of the
// architecture. An import that isn't declared here fails the build
// (`--explicit-target-dependency-import-check error`).
let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTesting: Target.Dependency = .product(
  name: "HummingbirdTesting", package: "hummingbird")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let serviceLifecycle: Target.Dependency = .product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let unixSignals: Target.Dependency = .product(
  name: "UnixSignals", package: "swift-service-lifecycle")

// What reads the words of others. The tests replay what the fuzzer has found; the programs look on.
let fuzzed: [Target.Dependency] = [
  "Commands", "Remote", "SQLiteStore", "SyncEngine", "SyncModel", "TableServer", "Workspace",
  grdbSQLite, httpTypes, system,
]
let fuzzing: [Target] =
  if isFuzzing {
    [
      .target(
        name: "FuzzTargets", dependencies: fuzzed, path: "Tests/Fuzz/Targets",
        swiftSettings: settings),
      .target(
        name: "FuzzDriver", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Driver",
        swiftSettings: settings),
    ]
      + [
        "Journal", "Configuration", "FileName", "Filter", "HTTP", "ItemFile", "JSON",
        "Terminal",
      ].map {
        .executableTarget(
          name: "Fuzz\($0)", dependencies: ["FuzzDriver", "FuzzTargets"],
          path: "Tests/Fuzz/Programs/Fuzz\($0)", swiftSettings: settings,
          linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
      }
  } else {
    [
      .testTarget(
        name: "FuzzTests", dependencies: fuzzed + ["TestSupport"], path: "Tests/Fuzz",
        exclude: ["Corpus", "Driver", "Programs"], sources: ["Replay", "Targets"],
        swiftSettings: settings)
    ]
  }

let package = Package(
  name: "tsync",
  products: [
    .executable(name: "tsync", targets: ["tsync"]),
    .executable(name: "tsync-server", targets: ["tsync-server"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // The pure middle.
    .target(name: "SyncModel", swiftSettings: fast),
    .target(name: "SyncEngine", dependencies: ["SyncModel"], swiftSettings: fast),

    // The client.
    .executableTarget(name: "tsync", dependencies: ["Commands"], swiftSettings: settings),
    .target(
      name: "Commands",
      dependencies: [
        "CLinux", "CurlTransport", "Remote", "SyncEngine", "SyncModel", "Workspace", argumentParser,
        system,
      ],
      swiftSettings: fast),
    .target(
      name: "Workspace", dependencies: ["CLinux", "SyncEngine", "SyncModel", system],
      swiftSettings: fast),
    .target(name: "Remote", dependencies: ["SyncEngine", "SyncModel"], swiftSettings: fast),
    .target(name: "CurlTransport", dependencies: ["CCurl", "Remote"], swiftSettings: fast),
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CLinux"),

    // The server.
    .executableTarget(
      name: "tsync-server",
      dependencies: [
        "PostgresStore", "SQLiteStore", "SyncModel", "TableServer", argumentParser, hummingbird,
        logging, nioCore, serviceLifecycle, unixSignals,
      ],
      swiftSettings: settings),
    .target(
      name: "SQLiteStore", dependencies: ["SyncModel", "TableServer", grdb, grdbSQLite],
      swiftSettings: fast),
    .target(
      name: "PostgresStore", dependencies: ["CPQ", "SyncModel", "TableServer"],
      swiftSettings: fast),
    .systemLibrary(name: "CPQ"),
    .target(
      name: "TableServer",
      dependencies: [
        "SyncModel", crypto, httpTypes, hummingbird, hummingbirdCore, logging, nioCore,
        nioHTTPTypes,
      ],
      swiftSettings: fast),

    // The tests.
    .target(
      name: "TestSupport", dependencies: ["CLinux", "SyncEngine", "SyncModel", system],
      path: "Tests/TestSupport", swiftSettings: fast),
    .testTarget(
      name: "SyncModelTests", dependencies: ["SyncModel", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "SyncEngineTests", dependencies: ["SyncEngine", "SyncModel", "TestSupport"],
      swiftSettings: settings),
    .target(
      name: "Simulation",
      dependencies: ["SimulatedCalls", "SyncEngine", "SyncModel", "TestSupport", "Workspace"],
      path: "Tests/Simulation", exclude: ["mutants.txt"], swiftSettings: fast),
    .target(name: "SimulatedCalls", path: "Tests/SimulatedCalls"),
    .executableTarget(
      name: "simulate", dependencies: ["Simulation"], path: "Tests/Simulate",
      swiftSettings: fast),
    .testTarget(
      name: "SimulationTests", dependencies: ["Simulation", "TestSupport"], exclude: ["Plans"],
      swiftSettings: settings),
    .target(
      name: "WorkspaceSupport",
      dependencies: ["SyncEngine", "SyncModel", "TestSupport", "Workspace"],
      path: "Tests/WorkspaceSupport", swiftSettings: settings),
    .testTarget(
      name: "WorkspaceTests",
      dependencies: [
        "Simulation", "SyncEngine", "SyncModel", "TestSupport", "Workspace", "WorkspaceSupport",
        system,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "WorkspaceInternalTests",
      dependencies: [
        "CLinux", "SyncEngine", "SyncModel", "TestSupport", "Workspace", "WorkspaceSupport", system,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "InternalTests",
      dependencies: ["CCurl", "CurlTransport", "Remote", "SyncEngine", "SyncModel", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "RemoteTests", dependencies: ["Remote", "SyncEngine", "SyncModel", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "CurlTransportTests",
      dependencies: ["CCurl", "CurlTransport", "Remote", "TestSupport", system],
      swiftSettings: settings),
    .testTarget(
      name: "TableServerTests",
      dependencies: [
        "PostgresStore", "SQLiteStore", "SyncModel", "TableServer", "TestSupport", "tsync-server",
        grdb, grdbSQLite, httpTypes, hummingbird, hummingbirdTesting, logging, nioCore,
      ],
      swiftSettings: settings),
    .target(
      name: "CommandSupport",
      dependencies: ["Commands", "CurlTransport", "Remote", "SyncModel", "TestSupport", system],
      path: "Tests/CommandSupport", swiftSettings: settings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "CommandSupport", "Commands", "Remote", "SyncEngine", "SyncModel", "TestSupport",
        "Workspace", "tsync", "tsync-server", system,
      ],
      exclude: ["Scripts"], swiftSettings: settings),
    .testTarget(
      name: "CommandInternalTests",
      dependencies: [
        "CommandSupport", "Commands", "SyncEngine", "SyncModel", "TestSupport", "Workspace",
        argumentParser, system,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CommandModelTests",
      dependencies: [
        "CommandSupport", "Commands", "CurlTransport", "Remote", "SQLiteStore", "SyncEngine",
        "SyncModel", "TableServer", "TestSupport", httpTypes, hummingbird, hummingbirdCore, logging,
        nioCore, nioEmbedded, system,
      ],
      path: "Tests/CommandModel", swiftSettings: fast),
    .target(name: "CTracer", path: "Tests/CTracer"),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "CLinux", "CTracer", "CommandSupport", "SyncModel", "TestSupport", "tsync", "tsync-server",
        grdbSQLite, system,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ManualTests", dependencies: ["TestSupport", "tsync", "tsync-server"],
      swiftSettings: settings),
  ] + fuzzing
)
