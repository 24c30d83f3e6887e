// SPDX-License-Identifier: MIT

/// Processor time of one thread or program in a second, with and without something.
struct WatchCost: Encodable {
    var name: String
    /// Microseconds in a second.
    var with: Double
    var without: Double

    static var heading: String { Measure.row(["processor time, µs a second", "with", "without"]) }
    var text: String { Measure.row([name, with.formatted(places: 0), without.formatted(places: 0)]) }
}
