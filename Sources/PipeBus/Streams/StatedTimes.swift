// SPDX-License-Identifier: MIT

/// Whether the times that an app states are steadier than its calls. Pure.
///
/// Such times are of the app's device, or of the numbers of packets, and a late one is a gap in the sound: a packet that was lost, a
/// pause. Times that are as unsteady as the calls are those of a thread, which may have been held up, and may catch up.
struct StatedTimes: BitwiseCopyable {
    /// Mean deviations of the times, and of the calls, from the length of the frames in between, in seconds.
    private var deviations = (stated: 0.0, called: 0.0)
    private var last = (stated: UInt64(0), called: UInt64(0))
    private var count = 0
    /// Number of frames since the last call.
    private var frames = 0

    /// A larger deviation is a gap, or a hold-up, and no jitter, in seconds.
    private static var largest: Double { @_noLocks get { 0.005 } }
    private static var leastCount: Int { @_noLocks get { 4 } }

    @_noLocks
    init() {}

    /// Whether the times do not come from the calls.
    var areOfDevice: Bool {
        @_noLocks get { count >= Self.leastCount && 4 * deviations.stated < deviations.called }
    }

    /// The app goes on by frames.
    @_noLocks
    mutating func advance(_ frames: Int) { self.frames &+= frames }

    /// Takes note of a call, before its frames.
    ///
    /// - Parameters:
    ///   - stated: the time that the app states.
    ///   - call: that of the call; `nil`: now.
    ///   - rate: the app's nominal frames per second.
    @_noLocks
    mutating func note(_ stated: MonotonicTime, called call: MonotonicTime?, rate: Int) {
        let (stated, called) = (stated.nanoseconds, MonotonicTime.orNow(call).nanoseconds)
        let seconds = Double(frames) / Double(max(rate, 1))
        frames = 0
        let deviation = abs(Self.seconds(from: last.stated, to: stated) - seconds)
        let ofCall = min(abs(Self.seconds(from: last.called, to: called) - seconds), 4 * Self.largest)
        last = (stated, called)
        guard count > 0 else { return count = 1 }
        guard deviation < Self.largest else { return }
        count = min(count &+ 1, 17)
        let share = 1 / Double(count &- 1)
        deviations.stated += (deviation - deviations.stated) * share
        deviations.called += (ofCall - deviations.called) * share
    }

    @_noLocks
    private static func seconds(from start: UInt64, to end: UInt64) -> Double {
        Double(Int64(truncatingIfNeeded: end &- start)) * 1e-9
    }
}
