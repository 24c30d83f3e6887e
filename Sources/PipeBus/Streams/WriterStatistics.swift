// SPDX-License-Identifier: MIT

/// Counts of a ``Writer`` since it was made, in frames at the graph's rate.
///
/// - Thread: any. A value.
/// - Realtime: safe.
public struct WriterStatistics: Sendable, Hashable {
    /// Frames that were taken from the app.
    public let writtenFrames: UInt64
    /// Frames of these that will not be heard: they were written while nothing was connected, or came too late for their time.
    public let droppedFrames: UInt64
    /// Times that the sound ran out and went on later.
    public let underruns: UInt64
    /// Frames of silence in these.
    public let underrunFrames: UInt64

    @_noLocks
    init(writtenFrames: UInt64, droppedFrames: UInt64, underruns: UInt64, underrunFrames: UInt64) {
        self.writtenFrames = writtenFrames
        self.droppedFrames = droppedFrames
        self.underruns = underruns
        self.underrunFrames = underrunFrames
    }
}
