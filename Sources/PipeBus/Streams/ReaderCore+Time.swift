// SPDX-License-Identifier: MIT

extension ReaderCore {
    /// The number of frames that the reader stays behind the graph, or is going to.
    var target: Int {
        @_noLocks get {
            isRunning ? pacing.target : ReaderPacing.target(block: lastBlock, cycle: expectedCycle)
        }
    }

    /// The time at which the first frame of a request was made.
    @_noLocks
    func timestamp(of piece: ReaderPiece) -> Timestamp {
        if piece.hasSound { return Timestamp(piece.place, like: piece.first) }
        guard isRunning else { return Timestamp(piece.place, like: idleTime.moment) }
        let progress = progress
        var moment = StreamMoment()
        moment.arrival = progress.arrivalEnd &- Int64(truncatingIfNeeded: progress.frameCount)
        moment.nanoseconds = progress.nanoseconds
        moment.sampleRate = progress.sampleRate
        moment.age = progress.age
        return Timestamp(piece.place, like: moment)
    }

    /// Gives an interval without sound its time. It is as old as sound would be, so that no time jumps when a source comes or goes.
    ///
    /// - Parameters:
    ///   - frameCount: the first request.
    ///   - rate: of its frames, in hertz; 0: the graph's.
    ///   - time: that of the request.
    ///   - margin: number of frames by which the place is further behind than ``target``.
    @_noLocks
    mutating func passIdle(_ frameCount: Int, rate: Int, at time: MonotonicTime, margin: Int) {
        let known = presentRate
        // Without a rate nothing is known of the distance, and any rate does for the parts of an interval.
        place &+= idleTime.step(
            place: place, frameCount: graphFrames(frameCount, rate: rate), at: time,
            age: known > 0 ? target &+ margin : 0, rate: known > 0 ? known : 48_000, cycle: expectedCycle)
    }
}
