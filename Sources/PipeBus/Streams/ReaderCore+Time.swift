// SPDX-License-Identifier: MIT

extension ReaderCore {
    /// The time at which the first frame of a request was made.
    @_noLocks
    func timestamp(of piece: ReaderPiece, requestedAt time: MonotonicTime?) -> Timestamp {
        let progress = progress
        if piece.hasSound {
            return Timestamp(piece.place, like: piece.first)
        }
        guard isRunning else {
            let request = MonotonicTime.orNow(time)
            return Timestamp(
                arrival: piece.place, nanoseconds: request.nanoseconds, sampleRate: max(sampleRate, 1), age: target)
        }
        var moment = StreamMoment()
        moment.arrival = progress.arrivalEnd &- Int64(truncatingIfNeeded: progress.frameCount)
        moment.nanoseconds = progress.nanoseconds
        moment.sampleRate = progress.sampleRate
        moment.age = progress.age
        return Timestamp(piece.place, like: moment)
    }
}
