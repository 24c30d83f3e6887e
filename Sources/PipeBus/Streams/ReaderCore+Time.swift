// SPDX-License-Identifier: MIT

extension ReaderCore {
    /// The time at which the first frame of a request was made.
    ///
    /// - Parameter margin: number of frames by which it is further behind than ``target``, while there is no sound.
    @_noLocks
    func timestamp(of piece: ReaderPiece, requestedAt time: MonotonicTime?, margin: Int) -> Timestamp {
        let progress = progress
        if piece.hasSound {
            return Timestamp(piece.place, like: piece.first)
        }
        guard isRunning else {
            // As old as sound would be, so that its time is no jump.
            let (request, rate) = (MonotonicTime.orNow(time), expectedRate)
            return Timestamp(
                arrival: piece.place, nanoseconds: request.nanoseconds, sampleRate: max(rate, 1),
                age: rate > 0 ? target &+ margin : 0)
        }
        var moment = StreamMoment()
        moment.arrival = progress.arrivalEnd &- Int64(truncatingIfNeeded: progress.frameCount)
        moment.nanoseconds = progress.nanoseconds
        moment.sampleRate = progress.sampleRate
        moment.age = progress.age
        return Timestamp(piece.place, like: moment)
    }
}
