// SPDX-License-Identifier: MIT

/// What a piece of a ``Reader``'s request was made of.
///
/// - Thread: the reader's.
/// - Realtime: safe.
struct ReaderPiece {
    /// The first frames of sound in it. No whole record: a piece is copied several times in a read.
    var first = StreamMoment()
    /// The place of the piece's first frame, if sound has a place.
    let place: Int64
    var hasSound = false
    var lateFrames = 0

    @_noLocks
    init(at place: Int64) { self.place = place }

    /// Adds a piece that follows.
    @_noLocks
    mutating func add(_ next: ReaderPiece) {
        lateFrames &+= next.lateFrames
        guard !hasSound, next.hasSound else { return }
        hasSound = true
        first = next.first
    }
}

extension Timestamp {
    /// The time at which a place's sound was made, if it is as old as other sound is.
    @_noLocks
    init(_ place: Int64, like moment: StreamMoment) {
        let rate = UInt64(truncatingIfNeeded: max(moment.sampleRate, 1))
        let distance = max(min(place &- moment.arrival, 1 << 32), -1 << 32)
        let time = distance.magnitude &* 1_000_000_000 / rate
        let nanoseconds =
            distance < 0 ? moment.nanoseconds &- min(time, moment.nanoseconds) : moment.nanoseconds &+ time
        self.init(
            arrival: place, nanoseconds: nanoseconds, sampleRate: moment.sampleRate, age: moment.age)
    }
}

extension MonotonicTime {
    /// A time that was given, or the present one. `??` would take a lock.
    @_noLocks
    static func orNow(_ time: MonotonicTime?) -> MonotonicTime {
        guard let time else { return .now }
        return time
    }
}
