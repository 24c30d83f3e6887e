// swift-tools-version: 6.3
// SPDX-License-Identifier: MIT
import PackageDescription

// Feeds random input to the code that reads what other processes send. The fuzzers are a package of their own, because
// they compile the library with flags that no dependency may have. `Library` has links to the library's sources: so
// the fuzzers reach what is internal to it. `make fuzz` in the folder above runs them. README.md describes them.
let strict = Context.environment["PIPEBUS_STRICT"] != nil

guard let runtime = Context.environment["PIPEBUS_FUZZER_RUNTIME"] else {
    fatalError("PIPEBUS_FUZZER_RUNTIME names libFuzzer's library; Scripts/fuzz.sh sets it.")
}

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Library/\(name)")
}

let targets: [Target] = [
    library("CRealtime"),
    library("CAudioKernels", ["CRealtime"]),
    library("RealtimeKit", ["CRealtime"]),
    library("AudioKernels"),
    .systemLibrary(name: "CSampleRate", path: "Library/CSampleRate", pkgConfig: "samplerate"),
    library("CAudioConversion", ["CRealtime", "CSampleRate"]),
    library("AudioConversion", ["CAudioConversion", "RealtimeKit"]),
    library("ConnectionGraph"),
    .systemLibrary(name: "CPipeWire", path: "Library/CPipeWire", pkgConfig: "libpipewire-0.3"),
    library("CPipeWireShims", ["CPipeWire", "CRealtime"]),
    library("CSystemSleep"),
    library("PipeWireClient", ["CPipeWireShims", "CRealtime", "CSystemSleep", "RealtimeKit"]),
    library(
        "PipeBus",
        [
            "AudioConversion", "AudioKernels", "CAudioKernels", "ConnectionGraph", "CRealtime", "PipeWireClient",
            "RealtimeKit",
        ]),
    .systemLibrary(name: "CGIO", path: "Library/CGIO", pkgConfig: "gio-unix-2.0"),
    .systemLibrary(name: "CPNG", path: "Library/CPNG", pkgConfig: "libpng"),
    library("CAppSupport"),
    library("DesktopSupport", ["CAppSupport", "CGIO", "ConnectionGraph"]),
    library("PipeBusApps", ["CAppSupport", "CGIO", "CPNG", "ConnectionGraph", "DesktopSupport", "PipeBus"]),
    .systemLibrary(name: "CSndFile", path: "Library/CSndFile", pkgConfig: "sndfile"),
    library("PipeBusActions", ["CGIO", "CSndFile", "ConnectionGraph", "DesktopSupport"]),
    // It reaches into the shims, which do not publish how they read a parameter.
    .target(
        name: "CFuzz", dependencies: ["CPipeWire", "CPipeWireShims"],
        cSettings: [.headerSearchPath("../../Library/CPipeWireShims")]),
    .executableTarget(
        name: "fuzz",
        dependencies: [
            "CFuzz", "CGIO", "CPNG", "ConnectionGraph", "DesktopSupport", "PipeBus", "PipeBusActions", "PipeBusApps",
            "PipeWireClient",
        ]),
]

for target in targets where target.type != .system {
    if target.name.hasPrefix("C") && target.name != "ConnectionGraph" {
        target.cSettings = (target.cSettings ?? []) + [.unsafeFlags(["-fsanitize=fuzzer-no-link"])]
        continue
    }
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableExperimentalFeature("Lifetimes"),
        .strictMemorySafety(),
        .unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]),
    ]
    if strict { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
}
targets.last?.linkerSettings = [.unsafeFlags([runtime]), .linkedLibrary("stdc++"), .linkedLibrary("m")]

let package = Package(name: "Fuzzing", targets: targets, swiftLanguageModes: [.v6])
