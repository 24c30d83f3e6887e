// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// An app that depends on PipeBus as any app would: no experimental flags, no unsafe flags. The programs are those of the
// README and of Docs/Threads.md.
// PIPEBUS_REPOSITORY names a repository that has a version as a tag; without it the folder above is used as it is.
let repository = Context.environment["PIPEBUS_REPOSITORY"]
let pipebus: Package.Dependency =
    repository.map { .package(url: $0, from: "0.1.0") } ?? .package(name: "pipebus", path: "../..")

let package = Package(
    name: "Consumer",
    dependencies: [pipebus],
    targets: [
        .executableTarget(name: "Sender", dependencies: [.product(name: "PipeBus", package: "pipebus")]),
        .executableTarget(
            name: "Meter", dependencies: [.product(name: "PipeBus", package: "pipebus")],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .executableTarget(
            name: "Volume",
            dependencies: [
                .product(name: "PipeBus", package: "pipebus"), .product(name: "RealtimeKit", package: "pipebus"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
