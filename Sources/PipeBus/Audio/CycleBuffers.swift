// SPDX-License-Identifier: MIT

/// The buffers of a cycle's inputs or outputs, by channel: what PipeWire gave, or what was put in its place.
///
/// A view of C's row of addresses, which has no count: the port knows how many channels it has.
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

    /// `nil` where PipeWire gave no buffer.
    subscript(channel: Int) -> SampleBlock? {
        @_noLocks @inline(__always) get {
            guard let base = unsafe bases[channel] else { return nil }
            return unsafe SampleBlock(base, frameCount: frameCount)
        }
    }

    /// A channel that has a buffer, given by PipeWire or by ``put(_:at:)``.
    @_noLocks
    @inline(__always)
    func whole(_ channel: Int) -> SampleBlock {
        unsafe SampleBlock(bases[channel].unsafelyUnwrapped, frameCount: frameCount)
    }

    /// Puts a block in the place of a channel's buffer.
    @_noLocks
    @inline(__always)
    func put(_ block: SampleBlock, at channel: Int) { unsafe bases[channel] = block.base }

    /// Silences the first channels, for a cycle that is left out: the buffers hold what was sent with them some cycles ago.
    @_noLocks
    @inline(never)
    func silence(_ channelCount: Int) {
        for channel in 0..<channelCount {
            if let block = self[channel] { block.clear() }
        }
    }

    /// The row, once each channel has a buffer.
    var wholeBases: UnsafePointer<UnsafeMutablePointer<Float>> {
        @_noLocks @inline(__always) get {
            unsafe UnsafeRawPointer(bases).assumingMemoryBound(to: UnsafeMutablePointer<Float>.self)
        }
    }
}
