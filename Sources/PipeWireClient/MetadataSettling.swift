// SPDX-License-Identifier: MIT

/// The changes of a metadata object that must be published again, because PipeWire may not have passed them to every
/// listener. Pure.
///
/// While a client binds the object, the daemon passes changes to this new listener alone: from the daemon's bind
/// request until this client's answer. A change that crosses the request is lost for all other listeners.
///
/// So each change is followed by a round trip. If a listener was added before its end, the change is published again.
/// By then the answer has been sent, since the daemon sends the request before it ends the round trip.
package struct MetadataSettling {
    /// The action after a round trip.
    package struct Step: Equatable {
        package var republish: Set<String>
        package var startsRoundTrip: Bool

        package init(republish: Set<String>, startsRoundTrip: Bool) {
            self.republish = republish
            self.startsRoundTrip = startsRoundTrip
        }
    }

    /// Keys changed before the round trip under way began.
    private var unsettled: Set<String> = []
    /// Keys changed since.
    private var newer: Set<String> = []
    private var isUnderWay = false
    private var hasNewListener = false

    package init() {}

    /// Takes note of a key that was set or removed. Returns whether to start a round trip.
    package mutating func changed(_ key: String) -> Bool {
        newer.insert(key)
        return start()
    }

    /// Takes note of a new listener. Returns whether to start a round trip.
    package mutating func listenerAdded() -> Bool {
        hasNewListener = true
        return start()
    }

    private mutating func start() -> Bool {
        guard !isUnderWay else { return false }
        isUnderWay = true
        unsettled.formUnion(newer)
        newer = []
        return true
    }

    package mutating func roundTripEnded() -> Step {
        isUnderWay = false
        var republish: Set<String> = []
        if hasNewListener {
            republish = unsettled.union(newer)
            newer = republish
        }
        hasNewListener = false
        unsettled = []
        return Step(republish: republish, startsRoundTrip: newer.isEmpty ? false : start())
    }
}
