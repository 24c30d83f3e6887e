// SPDX-License-Identifier: MIT
import CAudioConversion
import RealtimeKit

/// Stores channels frame by frame: left, right, left, right, …
///
/// - Parameters:
///   - rows: an address for each channel.
///   - channelCount: 1 or more.
///   - frameCount: 0 or more.
///   - memory: room for as many frames.
/// - Realtime: safe.
@_noLocks
package func interleave(_ rows: Rows, channelCount: Int, frameCount: Int, into memory: UnsafeMutablePointer<Float>) {
    unsafe withUnsafePointer(to: UnsafeMutableRawPointer(memory)) { plane in
        var samples = unsafe cac_samples(
            planes: plane, first: 0, channel_count: UInt32(truncatingIfNeeded: channelCount), format: cac_float32,
            is_interleaved: true)
        unsafe cac_store(&samples, rows, 0, UInt32(truncatingIfNeeded: frameCount), nil)
    }
}
