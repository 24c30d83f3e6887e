// SPDX-License-Identifier: MIT

/// The buffers of a cycle's inputs or outputs, by channel: PipeWire's, or blocks put in their place.
///
/// A view of C's row of addresses, which has no count: the port knows its number of channels.
///
/// - Thread: audio.
@safe struct CycleBuffers {
    private let bases: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    let frameCount: Int

    @_noLocks
    @inline(__always)
    init(_ bases: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>, frameCount: Int) {
        unsafe self.bases = unsafe bases
        self.frameCount = frameCount
    }

    /// The buffer of a channel; `nil` where PipeWire gave none.
    subscript(channel: Int) -> SampleBlock? {
        @_noLocks @inline(__always) get {
            guard let base = unsafe bases[channel] else { return nil }
            return unsafe SampleBlock(base, frameCount: frameCount)
        }
    }

    /// A channel that is known to have a buffer, from PipeWire or from ``put(_:at:)``.
    @_noLocks
    @inline(__always)
    func whole(_ channel: Int) -> SampleBlock {
        unsafe SampleBlock(bases[channel].unsafelyUnwrapped, frameCount: frameCount)
    }

    /// The buffers from a channel on.
    @_noLocks
    @inline(__always)
    func suffix(from channel: Int) -> CycleBuffers { unsafe CycleBuffers(bases + channel, frameCount: frameCount) }

    /// The same row with blocks of another length.
    @_noLocks
    @inline(__always)
    func resized(to frameCount: Int) -> CycleBuffers { unsafe CycleBuffers(bases, frameCount: frameCount) }

    /// Puts a block in place of a channel's buffer.
    @_noLocks
    @inline(__always)
    func put(_ block: SampleBlock, at channel: Int) { unsafe bases[channel] = block.base }

    /// Takes a channel's buffer away.
    @_noLocks
    @inline(__always)
    func remove(at channel: Int) { unsafe bases[channel] = nil }

    /// Silences the first channels, for a cycle that the port skips: the buffers hold sound of an earlier cycle.
    @_noLocks
    @inline(never)
    func silence(_ channelCount: Int) {
        for channel in 0..<channelCount {
            if let block = self[channel] { block.clear() }
        }
    }

    /// The row of addresses, once each channel has a buffer.
    var wholeBases: UnsafePointer<UnsafeMutablePointer<Float>> {
        @_noLocks @inline(__always) get {
            unsafe UnsafeRawPointer(bases).assumingMemoryBound(to: UnsafeMutablePointer<Float>.self)
        }
    }
}
