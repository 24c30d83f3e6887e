// SPDX-License-Identifier: MIT

/// One lane of a ``Capture``. A struct, so that the audio thread can reach it through a plain pointer.
@safe struct CaptureLane: ~Copyable {
    let samples: SampleRingCore
    let blocks: BlockRing
    /// Behind a pointer: to change it is to change nothing that the reader reads.
    private let own: UnsafeMutablePointer<WriterState>

    /// The writer's own.
    private struct WriterState {
        /// The block that was begun.
        var begun = CapturedBlock(stream: 0, position: 0, frameCount: 0, channelCount: 0)
        /// What is to be told of the frames that found no room; it has none itself.
        var pending = CapturedBlock(stream: 0, position: 0, frameCount: 0, channelCount: 0)
        var isPending = false
        /// Whose the newest frames were, dropped or not.
        var newestStream: UInt64 = 0
    }

    init(channelCount: Int, minimumCapacity: Int, blockCapacity: Int) {
        samples = SampleRingCore(channelCount: channelCount, minimumCapacity: minimumCapacity)
        blocks = BlockRing(minimumCapacity: blockCapacity)
        unsafe own = .allocate(capacity: 1)
        unsafe own.initialize(to: WriterState())
    }

    deinit { unsafe own.deallocate() }

    /// For the reader, once the writer is done.
    var rest: CapturedBlock? { unsafe own.pointee.isPending ? own.pointee.pending : nil }

    @_noLocks
    func begin(_ given: CapturedBlock) -> Bool {
        var block = given
        if unsafe block.stream != own.pointee.newestStream {
            unsafe own.pointee.newestStream = block.stream
            block.isContinuation = false
            block.missedFrames = 0
        }
        if unsafe own.pointee.isPending, unsafe own.pointee.pending.stream != block.stream, blocks.hasRoom {
            // What another stream has lost is told as its own.
            unsafe blocks.put(own.pointee.pending)
            unsafe own.pointee.isPending = false
        }
        let isOther = unsafe own.pointee.isPending && own.pointee.pending.stream != block.stream
        guard !isOther, blocks.hasRoom, block.frameCount <= samples.writableFrames else {
            drop(block)
            return false
        }
        if unsafe own.pointee.isPending {
            block.isContinuation = false
            unsafe block.missedFrames &+= own.pointee.pending.missedFrames
            unsafe block.droppedFrames &+= own.pointee.pending.droppedFrames
            unsafe own.pointee.isPending = false
        }
        unsafe own.pointee.begun = block
        return true
    }

    @_noLocks
    private func drop(_ block: CapturedBlock) {
        if unsafe own.pointee.isPending {
            unsafe own.pointee.pending.missedFrames &+= block.missedFrames
        } else {
            unsafe own.pointee.pending = block
            unsafe own.pointee.pending.frameCount = 0
            unsafe own.pointee.isPending = true
        }
        unsafe own.pointee.pending.droppedFrames &+= block.frameCount
    }

    @_noLocks
    func fill(channel: Int, with span: Span<Float>) {
        // Copied first: a precondition's condition is a closure, and would retain what it captures.
        let wanted = unsafe own.pointee.begun.frameCount
        let channels = unsafe own.pointee.begun.channelCount
        let given = span.count
        precondition(given == wanted && channel >= 0 && channel < channels, "this is not what was begun")
        samples.fill(channel: channel, with: span)
    }

    @_noLocks
    func end() {
        // The samples first: whoever sees the block is to find them.
        unsafe samples.commit(frameCount: own.pointee.begun.frameCount)
        unsafe blocks.put(own.pointee.begun)
        unsafe own.pointee.begun.frameCount = 0
    }
}
