// swift-tools-version: 6.3
// SPDX-License-Identifier: MIT
import PackageDescription

// PIPEBUS_STRICT turns warnings into errors (CI sets it). PIPEBUS_PURE leaves only the targets that need no
// PipeWire headers, which proves that they do not, and gives the thread sanitizer something small to build.
let strict = Context.environment["PIPEBUS_STRICT"] != nil
let pure = Context.environment["PIPEBUS_PURE"] != nil
// Leaves the library and its hammers, for the same reason.
let hammers = Context.environment["PIPEBUS_HAMMERS"] != nil

let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

var targets: [Target] = [
    .target(name: "CRealtime"),
    .target(name: "CAudioKernels", dependencies: ["CRealtime"]),
    .target(name: "RealtimeKit", dependencies: ["CRealtime"]),
    .target(name: "AudioKernels"),
    .systemLibrary(name: "CSampleRate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
    .target(name: "CAudioConversion", dependencies: ["CRealtime", "CSampleRate"]),
    .target(name: "AudioConversion", dependencies: ["CAudioConversion", "RealtimeKit"]),
    .target(name: "ConnectionGraph"),
    .target(name: "SeededRandom", path: "Tests/SeededRandom"),
    .testTarget(name: "RealtimeKitTests", dependencies: ["RealtimeKit", "SeededRandom"]),
    .testTarget(name: "AudioKernelsTests", dependencies: ["AudioKernels", "CAudioKernels", "SeededRandom"]),
    .testTarget(
        name: "AudioConversionTests",
        dependencies: ["AudioConversion", "CAudioConversion", "CSampleRate", "SeededRandom"]),
    .target(name: "OrderModel", dependencies: ["ConnectionGraph"], path: "Tests/OrderModel"),
    .testTarget(name: "ConnectionGraphTests", dependencies: ["ConnectionGraph", "OrderModel", "SeededRandom"]),
]

if !pure {
    targets += [
        .systemLibrary(
            name: "CPipeWire", pkgConfig: "libpipewire-0.3",
            providers: [.apt(["libpipewire-0.3-dev", "libspa-0.2-dev"])]),
        .target(name: "CPipeWireShims", dependencies: ["CPipeWire", "CRealtime"]),
        .target(name: "CSystemSleep"),
        .target(
            name: "PipeWireClient", dependencies: ["CPipeWireShims", "CRealtime", "CSystemSleep", "RealtimeKit"]),
        .target(
            name: "PipeBus",
            dependencies: [
                "AudioConversion", "AudioKernels", "CAudioKernels", "ConnectionGraph", "CRealtime", "PipeWireClient",
                "RealtimeKit",
            ]),
        .systemLibrary(name: "CGIO", pkgConfig: "gio-unix-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .target(name: "CAppSupport"),
        .target(name: "DesktopSupport", dependencies: ["CAppSupport", "CGIO", "ConnectionGraph"]),
        .target(
            name: "PipeBusApps",
            dependencies: ["CAppSupport", "CGIO", "CPNG", "ConnectionGraph", "DesktopSupport", "PipeBus"]),
        .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .target(name: "PipeBusActions", dependencies: ["CGIO", "CSndFile", "ConnectionGraph", "DesktopSupport"]),
        .target(name: "CPipeWireTesting", dependencies: ["CPipeWire"]),
        .target(name: "PipeBusTesting", dependencies: ["PipeBus", "CPipeWireTesting", "PipeWireClient"]),

        .testTarget(name: "PipeWireClientTests", dependencies: ["PipeBusTesting", "PipeWireClient", "SeededRandom"]),
        .testTarget(
            name: "PipeBusTests",
            dependencies: [
                "CRealtime", "ConnectionGraph", "PipeBus", "PipeWireClient", "PipeBusTestSupport", "RealtimeKit",
                "SeededRandom",
            ]),
        .testTarget(
            name: "HammerTests",
            dependencies: ["CRealtime", "ConnectionGraph", "PipeBus", "RealtimeKit", "SeededRandom"]),
        .executableTarget(
            name: "realtime-probe",
            dependencies: [
                "AudioConversion", "CPipeWireTesting", "CRealtime", "PipeBus", "PipeBusTesting", "RealtimeKit",
            ],
            path: "Tests/RealtimeProbe"),

        .target(name: "CToolLimits", path: "Examples/CToolLimits"),
        .target(
            name: "ToolSupport", dependencies: ["PipeBus", "CSndFile", "CToolLimits", arguments],
            path: "Examples/ToolSupport"),
        .executableTarget(
            name: "PipeBusCommand",
            dependencies: [
                "PipeBus", "PipeBusActions", "PipeBusApps", "PipeBusTesting", "RealtimeKit", "ToolSupport", arguments,
            ]),
        .executableTarget(
            name: "tone-sender", dependencies: ["PipeBus", "ToolSupport", arguments],
            path: "Examples/tone-sender"),
        .executableTarget(
            name: "echo-filter", dependencies: ["PipeBus", "RealtimeKit", "ToolSupport", arguments],
            path: "Examples/echo-filter"),
        .executableTarget(
            name: "looper", dependencies: ["PipeBus", "ToolSupport", arguments], path: "Examples/looper"),
        .executableTarget(
            name: "spectrum", dependencies: ["PipeBus", "ToolSupport", arguments], path: "Examples/spectrum"),
        .executableTarget(
            name: "streaming-player", dependencies: ["PipeBus", "ToolSupport", arguments],
            path: "Examples/streaming-player"),
        .executableTarget(
            name: "track-mixer", dependencies: ["PipeBus", "RealtimeKit", "ToolSupport", arguments],
            path: "Examples/track-mixer"),
        .executableTarget(
            name: "track-recorder", dependencies: ["PipeBus", "RealtimeKit", "ToolSupport", arguments],
            path: "Examples/track-recorder"),
        .executableTarget(
            name: "voice-synth", dependencies: ["PipeBus", "PipeBusApps", "RealtimeKit", "ToolSupport", arguments],
            path: "Examples/voice-synth"),

        .systemLibrary(
            name: "CEBUR128", path: "Examples/CEBUR128", pkgConfig: "libebur128",
            providers: [.apt(["libebur128-dev"])]),
        .executableTarget(
            name: "reverse-audio", dependencies: ["PipeBusActions"], path: "Examples/reverse-audio"),
        .executableTarget(
            name: "normalize-loudness", dependencies: ["CEBUR128", "PipeBusActions"],
            path: "Examples/normalize-loudness"),
        .testTarget(
            name: "PipeBusActionsTests",
            dependencies: [
                "CGIO", "CSndFile", "DesktopSupport", "PipeBusActions", "SeededRandom", "normalize-loudness",
                "reverse-audio",
            ]),

        .target(
            name: "PipeBusTestSupport",
            dependencies: ["CPipeWireTesting", "PipeBus", "PipeBusTesting", "PipeWireClient"],
            path: "Tests/TestSupport"),
        .executableTarget(
            name: "clock-sender", dependencies: ["CPipeWire"], path: "Tests/ClockSender",
            cSettings: [.headerSearchPath("../Lag")]),
        // It reaches into a connection of the shims, which do not publish its audio thread.
        .executableTarget(
            name: "lag-host", dependencies: ["CPipeWire", "CPipeWireShims"], path: "Tests/LagHost",
            cSettings: [.headerSearchPath("../Lag"), .headerSearchPath("../../Sources/CPipeWireShims")]),
        .executableTarget(name: "hostile-client", dependencies: ["CPipeWire"], path: "Tests/HostileClient"),
        .executableTarget(name: "login-host", path: "Tests/LoginHost"),
        .executableTarget(name: "kit-host", dependencies: ["PipeBusTesting"], path: "Tests/KitHost"),
        .executableTarget(
            name: "app-host", dependencies: ["PipeBus", "PipeBusApps", "RealtimeKit"], path: "Tests/AppHost"),
        .executableTarget(
            name: "action-host", dependencies: ["DesktopSupport", "PipeBusActions"], path: "Tests/ActionHost"),
        .executableTarget(name: "action-caller", dependencies: ["PipeBusActions"], path: "Tests/ActionCaller"),
        .executableTarget(name: "desktop-host", dependencies: ["CGIO"], path: "Tests/DesktopHost"),
        .executableTarget(name: "life-host", dependencies: ["PipeBus", "PipeBusApps"], path: "Tests/LifeHost"),
        .executableTarget(name: "exit-host", dependencies: ["PipeBus"], path: "Tests/ExitHost"),
        .target(name: "PeerProtocol", dependencies: ["PipeBus", "PipeBusTesting"], path: "Tests/PeerProtocol"),
        .executableTarget(
            name: "bus-peer", dependencies: ["PeerProtocol", "PipeBus", "PipeBusTesting"], path: "Tests/BusPeer"),
        .executableTarget(
            name: "metadata-host", dependencies: ["PipeWireClient"], path: "Tests/MetadataHost"),
        .testTarget(
            name: "PipeBusAppsTests",
            dependencies: [
                "CGIO", "CPNG", "DesktopSupport", "PipeBus", "PipeBusApps", "PipeBusTesting", "SeededRandom",
            ]),
        .testTarget(
            name: "PipeBusTestingTests",
            dependencies: ["PipeBus", "PipeBusTesting", "PipeBusTestSupport", "kit-host"]),
        .testTarget(
            name: "PipeBusIntegrationTests",
            dependencies: [
                "ConnectionGraph", "OrderModel", "PeerProtocol", "PipeBus", "PipeBusApps", "PipeBusTesting",
                "PipeBusTestSupport",
                "PipeWireClient", "SeededRandom", "bus-peer", "clock-sender", "exit-host", "hostile-client",
                "kit-host", "lag-host", "login-host", "metadata-host",
            ]),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "PipeBus", "PipeBusActions", "PipeBusApps", "PipeBusCommand", "PipeBusTesting", "PipeBusTestSupport",
                "RealtimeKit",
                "SeededRandom", "ToolSupport", "action-caller", "action-host", "app-host", "life-host", "desktop-host",
                "clock-sender", "echo-filter",
                "looper", "spectrum",
                "streaming-player",
                "normalize-loudness", "reverse-audio", "tone-sender", "track-mixer", "track-recorder", "voice-synth",
            ]),
    ]
}

if hammers {
    let needed = [
        "CRealtime", "CAudioKernels", "RealtimeKit", "AudioKernels", "CSampleRate", "CAudioConversion",
        "AudioConversion",
        "ConnectionGraph", "CPipeWire", "CPipeWireShims", "CSystemSleep", "PipeWireClient", "PipeBus", "SeededRandom",
        "HammerTests",
    ]
    targets.removeAll { !needed.contains($0.name) }
}

// One loop for all settings, so that no target can forget them.
for target in targets where target.type != .system {
    let isC =
        ["clock-sender", "desktop-host", "hostile-client", "lag-host", "login-host"].contains(target.name)
        || target.name.hasPrefix("C") && target.name != "ConnectionGraph" && target.name != "ConnectionGraphTests"
    if isC {
        target.cSettings =
            (target.cSettings ?? []) + [
                .enableWarning("all"), .enableWarning("extra"), .disableWarning("unused-parameter"),
                // PipeWire's own headers give these, and -I makes them ours.
                .disableWarning("sign-compare"), .disableWarning("missing-field-initializers"),
                .treatWarning("function-effects", as: .error),
            ]
        if strict { target.cSettings?.append(.treatAllWarnings(as: .error)) }
        continue
    }
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableExperimentalFeature("Lifetimes"),
        .strictMemorySafety(),
    ]
    if strict { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
}

let package = Package(
    name: "PipeBus",
    products: pure || hammers
        ? []
        : [
            .library(name: "PipeBus", targets: ["PipeBus"]),
            .library(name: "PipeBusActions", targets: ["PipeBusActions"]),
            .library(name: "PipeBusApps", targets: ["PipeBusApps"]),
            .library(name: "RealtimeKit", targets: ["RealtimeKit"]),
            .executable(name: "pipebus", targets: ["PipeBusCommand"]),
            .executable(name: "tone-sender", targets: ["tone-sender"]),
            .executable(name: "echo-filter", targets: ["echo-filter"]),
            .executable(name: "looper", targets: ["looper"]),
            .executable(name: "spectrum", targets: ["spectrum"]),
            .executable(name: "normalize-loudness", targets: ["normalize-loudness"]),
            .executable(name: "reverse-audio", targets: ["reverse-audio"]),
            .executable(name: "streaming-player", targets: ["streaming-player"]),
            .executable(name: "track-mixer", targets: ["track-mixer"]),
            .executable(name: "track-recorder", targets: ["track-recorder"]),
            .executable(name: "voice-synth", targets: ["voice-synth"]),
        ],
    dependencies: pure || hammers
        ? []
        : [
            .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
        ],
    targets: targets,
    swiftLanguageModes: [.v6]
)
