// swift-tools-version: 6.2
import PackageDescription

// The list of targets reads as the graph of architecture: what is used stands in the dependencies,
// and an import that isn't declared here fails the build
// (`--explicit-target-dependency-import-check error`).

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "tsync",
  dependencies: [
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1")
  ],
  targets: [
    // The pure middle.
    .target(name: "SyncModel", swiftSettings: settings),
    .target(name: "SyncEngine", dependencies: ["SyncModel"], swiftSettings: settings),

    // Tests.
    .target(
      name: "TestSupport", dependencies: ["SyncModel", "SyncEngine", system],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "SyncEngineTests", dependencies: ["SyncModel", "SyncEngine", "TestSupport"],
      swiftSettings: settings),
  ]
)
