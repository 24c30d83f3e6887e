// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// An app that depends on PipeBus as any app would: no experimental flags, no unsafe flags. The programs are those of the
// README, of Docs/Threads.md, Docs/Streams.md and Docs/Recipes.md. PIPEBUS_REPOSITORY names a repository that has a version as a tag; without it the folder
// above is used as it is.
let repository = Context.environment["PIPEBUS_REPOSITORY"]
let pipebus: Package.Dependency =
    repository.map { .package(url: $0, from: "0.1.0") } ?? .package(name: "pipebus", path: "../..")
let library: Target.Dependency = .product(name: "PipeBus", package: "pipebus")
let apps: Target.Dependency = .product(name: "PipeBusApps", package: "pipebus")
let actions: Target.Dependency = .product(name: "PipeBusActions", package: "pipebus")
let realtimeKit: Target.Dependency = .product(name: "RealtimeKit", package: "pipebus")

// With PIPEBUS_EXAMPLES the examples are copied beside the programs, as an author does who begins with one of them.
let examples: [Target]
if Context.environment["PIPEBUS_EXAMPLES"] != nil {
    let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
    // The only setting of this package's that they need.
    let settings: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]
    examples = [
        .systemLibrary(name: "MyCSndFile", path: "Sources/My-CSndFile", pkgConfig: "sndfile"),
        .target(name: "MyCToolLimits", path: "Sources/My-CToolLimits"),
        .target(
            name: "MyToolSupport", dependencies: [library, "MyCSndFile", "MyCToolLimits", arguments],
            path: "Sources/My-ToolSupport",
            swiftSettings: settings),
        .executableTarget(
            name: "my-tone-sender", dependencies: [library, "MyToolSupport", arguments],
            path: "Sources/My-tone-sender", swiftSettings: settings),
        .executableTarget(
            name: "my-echo-filter", dependencies: [library, realtimeKit, "MyToolSupport", arguments],
            path: "Sources/My-echo-filter", swiftSettings: settings),
        .executableTarget(
            name: "my-looper", dependencies: [library, "MyToolSupport", arguments],
            path: "Sources/My-looper", swiftSettings: settings),
        .executableTarget(
            name: "my-spectrum", dependencies: [library, "MyToolSupport", arguments],
            path: "Sources/My-spectrum", swiftSettings: settings),
        .executableTarget(
            name: "my-streaming-player", dependencies: [library, "MyToolSupport", arguments],
            path: "Sources/My-streaming-player", swiftSettings: settings),
        .executableTarget(
            name: "my-track-mixer", dependencies: [library, realtimeKit, "MyToolSupport", arguments],
            path: "Sources/My-track-mixer", swiftSettings: settings),
        .executableTarget(
            name: "my-voice-synth", dependencies: [library, apps, realtimeKit, "MyToolSupport", arguments],
            path: "Sources/My-voice-synth", swiftSettings: settings),
        .systemLibrary(name: "MyCEBUR128", path: "Sources/My-CEBUR128", pkgConfig: "libebur128"),
        .executableTarget(
            name: "my-reverse-audio", dependencies: [actions], path: "Sources/My-reverse-audio",
            swiftSettings: settings),
        .executableTarget(
            name: "my-normalize-loudness", dependencies: [actions, "MyCEBUR128"],
            path: "Sources/My-normalize-loudness", swiftSettings: settings),
        .executableTarget(
            name: "my-track-recorder", dependencies: [library, realtimeKit, "MyToolSupport", arguments],
            path: "Sources/My-track-recorder", swiftSettings: settings),
    ]
} else {
    examples = []
}

let package = Package(
    name: "Consumer",
    dependencies: [pipebus]
        + (examples.isEmpty
            ? [] : [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")]),
    targets: [
        .executableTarget(name: "Sender", dependencies: [library]),
        .executableTarget(
            name: "Meter", dependencies: [library], swiftSettings: [.defaultIsolation(MainActor.self)]),
        .executableTarget(name: "Volume", dependencies: [library, realtimeKit]),
        .executableTarget(name: "Synth", dependencies: [library, apps]),
        .executableTarget(name: "Louder", dependencies: [actions]),
        .executableTarget(name: "Effects", dependencies: [actions]),
        .executableTarget(name: "Knob", dependencies: [library, realtimeKit]),
        .executableTarget(name: "Peaks", dependencies: [library, realtimeKit]),
    ]
        + ["Count", "Disk", "Takes", "Through", "Push", "Live", "Desk", "Blocks", "Chime"].map {
            .executableTarget(name: $0, dependencies: [library])
        }
        + examples,
    swiftLanguageModes: [.v6]
)
