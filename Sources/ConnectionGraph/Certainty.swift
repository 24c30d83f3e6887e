// SPDX-License-Identifier: MIT

/// How certain an answer about the graph is. Not every node says what it does with sound.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum Certainty: String, Sendable, Hashable, Codable, CaseIterable, Comparable, CustomStringConvertible {
    case no
    /// The answer depends on a node that was not made with PipeBus.
    case unknown
    case yes

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    /// For a person: "no", "unknown" or "yes".
    public var description: String { rawValue }

    private var rank: Int {
        switch self {
        case .no: 0
        case .unknown: 1
        case .yes: 2
        }
    }
}
