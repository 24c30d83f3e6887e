// SPDX-License-Identifier: MIT

/// Which changes of a metadata object of ours must be published once more, because PipeWire may have kept them from those who
/// listened already.
///
/// While somebody binds the object, the daemon passes what we emit to the new listener alone, from when it takes the
/// bind until we have answered. A change that crosses that question on its way is lost for everybody else. So each
/// change is followed by a round trip: if no listener came until it ends, the change got through; otherwise the change
/// is published again. By then our answer has been sent, since the daemon asks before it ends the round trip. Pure.
package struct MetadataSettling {
    /// What to do after a round trip.
    package struct Step: Equatable {
        package var tellAgain: Set<String>
        package var startsRoundTrip: Bool

        package init(tellAgain: Set<String>, startsRoundTrip: Bool) {
            self.tellAgain = tellAgain
            self.startsRoundTrip = startsRoundTrip
        }
    }

    /// Changed before the round trip that is under way began.
    private var unsettled: Set<String> = []
    /// Changed since.
    private var newer: Set<String> = []
    private var isUnderWay = false
    private var listenerCame = false

    package init() {}

    /// A key was set or removed, and everybody notified. Returns whether to start a round trip.
    package mutating func changed(_ key: String) -> Bool {
        newer.insert(key)
        return start()
    }

    /// Returns whether to start a round trip.
    package mutating func listenerAdded() -> Bool {
        listenerCame = true
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
        var tellAgain: Set<String> = []
        if listenerCame {
            tellAgain = unsettled.union(newer)
            newer = tellAgain
        }
        listenerCame = false
        unsettled = []
        return Step(tellAgain: tellAgain, startsRoundTrip: newer.isEmpty ? false : start())
    }
}
