// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// An app that depends on PipeBus by version, as any app would: no experimental flags, no unsafe flags. The programs are
// the README's. PIPEBUS_REPOSITORY names the repository that has the version as a tag.
let repository = Context.environment["PIPEBUS_REPOSITORY"] ?? "https://github.com/pipebus/pipebus"

let package = Package(
    name: "Consumer",
    dependencies: [.package(url: repository, from: "0.1.0")],
    targets: [
        .executableTarget(name: "Sender", dependencies: [.product(name: "PipeBus", package: "pipebus")]),
        .executableTarget(
            name: "Meter", dependencies: [.product(name: "PipeBus", package: "pipebus")],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
    ],
    swiftLanguageModes: [.v6]
)
