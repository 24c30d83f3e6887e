// SPDX-License-Identifier: MIT
import Foundation

/// One figure of ours beside the peer's.
struct Measure: Encodable {
    var name: String
    /// Empty for a plain number.
    var unit: String
    var ours: Double
    var peer: Double
    var ratio: Double
    /// The most that the ratio should be.
    var aim: Double

    var text: String { text(width: Self.nameWidth) }

    private static let nameWidth = 48

    func text(width: Int) -> String {
        let values = [ours, peer].map { $0.formatted(places: 0) + (unit.isEmpty ? "" : " \(unit)") }
        return Self.row([name] + values + [ratio.formatted(places: 3)], width: width)
            + "  (aim: at most \(aim.formatted(places: 2)))"
    }

    static func heading(_ title: String, width: Int = nameWidth) -> String {
        row([title, "ours", "peer", "ratio"], width: width)
    }

    /// A name to the left, figures to the right.
    static func row(_ cells: [String], width: Int = nameWidth) -> String {
        cells[0].padding(toLength: width, withPad: " ", startingAt: 0)
            + cells.dropFirst().map { String(repeating: " ", count: max(10 - $0.count, 1)) + $0 }.joined()
    }
}

extension Double {
    func formatted(places: Int) -> String { String(format: "%.\(places)f", self) }
}

extension [Double] {
    var geometricMean: Double { exp(map { log($0) }.reduce(0, +) / Double(count)) }

    /// Not a number if there are none.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
