// SPDX-License-Identifier: MIT

/// What is known of a wanted connection, or of a bypass, while its ports are there.
struct RoutingRecord: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Phase: Sendable {
        /// To be made, not before a time.
        case due(Instant)
        /// A part of its links is there. Whoever makes them may be at it still.
        case partial(since: Instant)
        case making
        case connected
        /// Its links are gone, and both ports are there. One of them may be about to go.
        case lost(since: Instant)
        case removed
        case stopped
        /// It could not be made.
        case failed(String, retry: Instant?)
        /// The two are connected with other channels.
        case different
        case leftOut(String, recheck: Instant?)
    }

    /// What is set once when the connection is there, or the filter.
    enum Setting: Sendable {
        case none
        case due(Instant)
        case underWay
        case done
        case failed(String)
    }

    /// The index in the routing.
    let index: Int
    var phase: Phase
    /// Whether the routing has made it.
    var isMade = false
    var level = Setting.none
    var attempts = 0
    var levelAttempts = 0
    /// The channels that its links have, by global ids.
    var channels: Set<UInt32> = []
    /// The numbers of channels when it could not be made: others may go together.
    var channelCounts: [Int] = []
}
