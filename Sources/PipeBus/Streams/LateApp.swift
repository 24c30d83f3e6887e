// SPDX-License-Identifier: MIT

/// Whether an app with a clock of its own that is late catches up, by the times of its requests. Pure.
///
/// A thread that was held up asks at once for all that it has missed. Until it has, the times of its requests say nothing
/// about its clock. It does not catch up if it asked for a tenth of a second and was not 10 ms less late at the end.
struct LateApp: BitwiseCopyable {
    /// How late an app is that may have paused, in seconds. What is less the clock's loop takes for jitter at first.
    static var threshold: Double { @_noLocks get { 0.25 } }
    private static var step: Double { @_noLocks get { 0.01 } }

    enum State: BitwiseCopyable {
        case catchingUp
        case caughtUp
        /// It goes on from here.
        case behind
    }

    private let rate: Double
    private var smallest: Double
    /// The position at which it was.
    private var position: Int64

    /// - Parameters:
    ///   - lateness: in seconds.
    ///   - position: number of frames that the app has read.
    ///   - rate: its nominal frames per second.
    @_noLocks
    init(_ lateness: Double, position: Int64, rate: Double) {
        smallest = lateness
        self.position = position
        self.rate = rate
    }

    /// Takes note of the next request.
    @_noLocks
    mutating func note(_ lateness: Double, position next: Int64) -> State {
        if lateness < Self.step { return .caughtUp }
        if lateness <= smallest - Self.step {
            (smallest, position) = (lateness, next)
            return .catchingUp
        }
        return Double(next &- position) < rate / 10 ? .catchingUp : .behind
    }
}
