// SPDX-License-Identifier: MIT

/// An answer about a graph in which not everybody says what they do with sound.
///
/// - Thread: any. A value.
public enum Verdict: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    case no
    /// It depends on what a node does that was not made with PipeBus.
    case unknown
    case yes

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .no: 0
        case .unknown: 1
        case .yes: 2
        }
    }
}
