// SPDX-License-Identifier: MIT
import Foundation

/// A line that a program prints which compares contenders in one process.
struct ContestLine: Decodable {
    var name: String
    /// Nanoseconds.
    var ours: Double
    var peer: Double
    var ratio: Double

    init(json: some StringProtocol) throws { self = try JSONDecoder().decode(Self.self, from: Data(json.utf8)) }

    func measure(aim: Double) -> Measure {
        Measure(name: name, unit: "ns", ours: ours, peer: peer, ratio: ratio, aim: aim)
    }
}
