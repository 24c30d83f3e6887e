// SPDX-License-Identifier: MIT

/// The two tables of the screen.
enum WatchView: String, CaseIterable, Sendable {
    case pipelines = "Pipelines"
    case ports = "Ports"

    var other: Self { self == .pipelines ? .ports : .pipelines }
}
