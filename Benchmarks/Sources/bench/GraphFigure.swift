// SPDX-License-Identifier: MIT
import Foundation

/// A figure about the graph that has no peer, as a program prints it.
struct GraphFigure: Codable {
    var name: String
    /// Empty for a plain number.
    var unit: String
    var value: Double
    /// The most that the value should be; `nil` if none is set.
    var aim: Double?

    var text: String {
        let digits = value < 100 ? 1 : 0
        return Measure.row([name, value.formatted(places: digits) + (unit.isEmpty ? "" : " \(unit)")], width: 64)
            + (aim.map { "  (aim: at most \($0.formatted(places: 0)))" } ?? "")
    }
}
