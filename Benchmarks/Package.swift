// swift-tools-version: 6.3
// SPDX-License-Identifier: MIT
import PackageDescription

// Measures the cost of the library against equal programs in C. The benchmarks are a package of their own, so
// that an app that depends on PipeBus never sees them. `make bench` in the folder above runs the benchmarks. README.md
// describes the measurement.
let strict = Context.environment["PIPEBUS_STRICT"] != nil

// The name by which the compiler knows the package above, after its folder. The converter that the streams use is not public; its
// benchmark is compiled as a part of that package.
let libraryPackage = String(
    Context.packageDirectory.split(separator: "/").dropLast().last.map { folder in
        folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    } ?? [])

let pipeBus: Target.Dependency = .product(name: "PipeBus", package: "PipeBus")

var targets: [Target] = [
    .systemLibrary(
        name: "CBenchmarkPipeWire", pkgConfig: "libpipewire-0.3",
        providers: [.apt(["libpipewire-0.3-dev", "libspa-0.2-dev"])]),
    .systemLibrary(name: "CBenchmarkJack", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    .target(name: "CBenchmarkPeer"),
    .target(name: "CBenchmarkHeap"),
    .target(name: "CBenchmarkSound"),
    .target(name: "CBenchmarkFilter", dependencies: ["CBenchmarkPipeWire"]),
    .target(name: "BenchmarkSupport", dependencies: ["CBenchmarkPeer"]),
    .executableTarget(name: "gain-pipebus", dependencies: ["BenchmarkSupport", "CBenchmarkPeer", pipeBus]),
    .executableTarget(name: "gain-pw-filter", dependencies: ["CBenchmarkFilter", "CBenchmarkPeer"]),
    .executableTarget(name: "gain-jack", dependencies: ["CBenchmarkPeer", "CBenchmarkJack"]),
    .executableTarget(name: "receive-pipebus", dependencies: ["BenchmarkSupport", "CBenchmarkPeer", pipeBus]),
    .executableTarget(name: "receive-pw-filter", dependencies: ["CBenchmarkFilter", "CBenchmarkPeer"]),
    .executableTarget(name: "receive-senders", dependencies: ["CBenchmarkFilter", "CBenchmarkPeer"]),
    .executableTarget(name: "busy-graph", dependencies: ["CBenchmarkFilter", "CBenchmarkPeer"]),
    .executableTarget(name: "idle-registry", dependencies: ["CBenchmarkFilter", "CBenchmarkPeer"]),
    .executableTarget(name: "idle-profiler", dependencies: ["CBenchmarkFilter", "CBenchmarkPeer"]),
    .executableTarget(name: "load-pipebus", dependencies: ["BenchmarkSupport", pipeBus]),
    .executableTarget(
        name: "sound-pipebus", dependencies: ["BenchmarkSupport", "CBenchmarkPeer", "CBenchmarkSound", pipeBus]),
    .executableTarget(
        name: "sound-pw-filter", dependencies: ["CBenchmarkFilter", "CBenchmarkPeer", "CBenchmarkSound"]),
    .executableTarget(name: "idle-pipebus", dependencies: ["BenchmarkSupport", "CBenchmarkPeer", pipeBus]),
    // The library's kernels as they are in the library.
    .executableTarget(
        name: "mix-kernels", dependencies: ["CBenchmarkPipeWire", pipeBus]),
    .executableTarget(name: "read-pipebus", dependencies: ["BenchmarkSupport", "CBenchmarkPeer", pipeBus]),
    .executableTarget(
        name: "read-ring", dependencies: ["CBenchmarkFilter", "CBenchmarkJack", "CBenchmarkPeer"]),
    .target(name: "CBenchmarkRings", dependencies: ["CBenchmarkPipeWire", "CBenchmarkJack"]),
    .executableTarget(
        name: "rings",
        dependencies: [
            "BenchmarkSupport", "CBenchmarkRings", .product(name: "RealtimeKit", package: "PipeBus"),
        ]),
    .target(name: "CBenchmarkFormats"),
    .executableTarget(
        name: "conversions",
        dependencies: ["BenchmarkSupport", "CBenchmarkFormats", "CBenchmarkResamplers", pipeBus],
        // Not to this package's symbols, but to the library's: see `libraryPackage`.
        packageAccess: false),
    .executableTarget(
        name: "graph-model",
        dependencies: [
            "BenchmarkSupport", "CBenchmarkHeap", pipeBus,
            .product(name: "HashTreeCollections", package: "swift-collections"),
        ],
        packageAccess: false),
    .executableTarget(name: "resamplers", dependencies: ["CBenchmarkResamplers"]),
    .target(
        name: "CBenchmarkResamplers", dependencies: ["CBenchmarkPipeWire"],
        linkerSettings: [
            .linkedLibrary("samplerate"), .linkedLibrary("soxr"), .linkedLibrary("speexdsp"), .linkedLibrary("m"),
        ]),
    .executableTarget(
        name: "bench", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
]

// One loop for all settings, so that no target can forget them.
let cTargets = [
    "CBenchmarkPeer", "CBenchmarkHeap", "CBenchmarkSound", "CBenchmarkFilter", "sound-pw-filter", "gain-pw-filter",
    "gain-jack", "receive-pw-filter", "receive-senders",
    "mix-kernels", "busy-graph", "idle-registry", "idle-profiler", "resamplers",
    "CBenchmarkRings", "read-ring", "CBenchmarkResamplers", "CBenchmarkFormats",
]
for target in targets where target.type != .system {
    if target.name.hasPrefix("gain-") || target.name.hasPrefix("receive-") || target.name.hasPrefix("read-") {
        // valgrind 3.19 cannot read the debugging information that clang 21 writes. The functions' names, which is what
        // it needs, stay.
        target.linkerSettings = [.unsafeFlags(["-Xlinker", "--strip-debug"])]
    }
    if cTargets.contains(target.name) {
        target.cSettings = [
            .enableWarning("all"), .enableWarning("extra"), .disableWarning("unused-parameter"),
            // PipeWire's own headers give these, and -I makes them ours.
            .disableWarning("sign-compare"), .disableWarning("missing-field-initializers"),
        ]
        if ["mix-kernels", "receive-pw-filter", "CBenchmarkFormats"].contains(target.name) {
            // For the plain loops: the best a compiler makes of them.
            target.cSettings?.append(.unsafeFlags(["-O3"]))
        }
        if strict { target.cSettings?.append(.treatAllWarnings(as: .error)) }
        continue
    }
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .strictMemorySafety(),
    ]
    if ["conversions", "graph-model"].contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-package-name", libraryPackage]))
    }
    if strict { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
}

let package = Package(
    name: "Benchmarks",
    dependencies: [
        // Named, because the folder above may have any name.
        .package(name: "PipeBus", path: "../"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // A peer of the graph's map.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: targets,
    swiftLanguageModes: [.v6]
)
