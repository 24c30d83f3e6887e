// SPDX-License-Identifier: MIT
import AudioConversion

/// The next frames of a lane, where they lie: in the stream's ring, or in the reader's rows if they are silent or faded.
///
/// - Thread: the reader's.
/// - Realtime: safe.
@safe struct ReaderRun {
    /// An address for each channel, valid until the run is released.
    let rows: Rows
    /// The first frame, counted from the addresses.
    let first: Int
    /// 1 or more.
    let frameCount: Int
    /// Whether the frames lie in the stream's ring, whose writer waits for their release.
    let isInRing: Bool

    /// Frames in the reader's own rows.
    @_noLocks
    init(_ rows: Rows, frameCount: Int) {
        unsafe self.rows = unsafe rows
        first = 0
        self.frameCount = frameCount
        isInRing = false
    }

    /// Frames in the stream's ring.
    @_noLocks
    init(inRing rows: Rows, from first: Int, frameCount: Int) {
        unsafe self.rows = unsafe rows
        self.first = first
        self.frameCount = frameCount
        isInRing = true
    }
}
