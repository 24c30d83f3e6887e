// SPDX-License-Identifier: MIT

/// What was read of a ``MultiStreamOutput``.
///
/// - Thread: any. A value.
/// - Realtime: safe.
public struct MultiStreamResult: Sendable, Hashable {
    /// Number of frames: up to as many as were asked for.
    public let frameCount: Int
    /// When the first frame was made, on the system's monotonic clock; 0 before the first sound.
    public let time: MonotonicTime

    @_noLocks
    init(frameCount: Int, time: MonotonicTime) {
        self.frameCount = frameCount
        self.time = time
    }
}
