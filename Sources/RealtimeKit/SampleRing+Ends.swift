// SPDX-License-Identifier: MIT

// Functions of the ends are `mutating`: the caller has exclusive access to an end, so there is one thread at each.

extension SampleRing {
    /// The writing end of a ``SampleRing``.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe.
    @safe public struct Writer: ~Copyable, @unchecked Sendable {
        // @unchecked: one thread uses it, and the core is made for two. The owner is only kept alive: a class in a
        // struct is not touched on the audio thread.
        private let owner: SampleRing
        private let core: UnsafeMutablePointer<SampleRingCore>

        init(_ owner: SampleRing) {
            self.owner = owner
            unsafe core = unsafe owner.core
        }

        /// Number of samples in a frame.
        public var channelCount: Int { @_noLocks get { unsafe core.pointee.channelCount } }
        /// Number of frames that fit now. It does not decrease until the next write.
        public var writableFrames: Int { @_noLocks get { unsafe core.pointee.writableFrames } }

        /// Writes interleaved samples, or nothing if they do not fit.
        ///
        /// - Parameter samples: whole frames.
        /// - Returns: whether the samples were written.
        @_noLocks
        public mutating func tryWrite(_ samples: Span<Float>) -> Bool {
            // Copied first, because a precondition's condition is a closure and would retain its captures.
            let (count, channels) = unsafe (samples.count, core.pointee.channelCount)
            let frames = unsafe core.pointee.wholeFrames(in: count)
            precondition(frames * channels == count, "a ring takes whole frames")
            guard unsafe frames <= core.pointee.writableFrames else { return false }
            let base = unsafe samples.withUnsafeBufferPointer { $0.baseAddress }
            guard let base = unsafe base else { return true }
            unsafe core.pointee.write(interleaved: base, frameCount: frames)
            unsafe core.pointee.commit(frameCount: frames)
            return true
        }

        /// Writes samples of one channel behind the committed frames.
        ///
        /// Each channel is written by itself. Then ``commit(frameCount:)`` hands the frames over.
        ///
        /// - Parameters:
        ///   - channel: 0..<``channelCount``.
        ///   - samples: at most ``writableFrames``.
        @_noLocks
        public mutating func fill(channel: Int, with samples: Span<Float>) {
            let (count, channels) = unsafe (samples.count, core.pointee.channelCount)
            let room = unsafe core.pointee.writableFrames
            precondition(channel >= 0 && channel < channels, "no such channel")
            precondition(count <= room, "more samples than there is room for")
            let base = unsafe samples.withUnsafeBufferPointer { $0.baseAddress }
            guard let base = unsafe base else { return }
            unsafe core.pointee.fill(channel: channel, from: base, frameCount: count)
        }

        /// Writes samples of one channel from a pointer. They must fit.
        @_noLocks
        package mutating func fill(channel: Int, from samples: UnsafePointer<Float>, frameCount: Int) {
            unsafe core.pointee.fill(channel: channel, from: samples, frameCount: frameCount)
        }

        /// Hands over frames whose channels were written. A channel that was not written holds old samples.
        ///
        /// - Parameter frameCount: 0…``writableFrames``.
        @_noLocks
        public mutating func commit(frameCount: Int) {
            let room = unsafe core.pointee.writableFrames
            precondition(frameCount >= 0 && frameCount <= room, "more frames than there is room for")
            unsafe core.pointee.commit(frameCount: frameCount)
        }
    }

    /// The reading end of a ``SampleRing``.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe.
    @safe public struct Reader: ~Copyable, @unchecked Sendable {
        // @unchecked: as of the writer.
        private let owner: SampleRing
        private let core: UnsafeMutablePointer<SampleRingCore>

        init(_ owner: SampleRing) {
            self.owner = owner
            unsafe core = unsafe owner.core
        }

        /// Number of samples in a frame.
        public var channelCount: Int { @_noLocks get { unsafe core.pointee.channelCount } }
        /// Number of frames that can be read. It does not decrease until the next read.
        public var readableFrames: Int { @_noLocks get { unsafe core.pointee.readableFrames } }

        /// Reads interleaved frames: as many as the ring holds and as fit.
        ///
        /// - Returns: the number of frames. The rest of `samples` is unchanged.
        @_noLocks
        public mutating func read(into samples: inout MutableSpan<Float>) -> Int {
            let room = unsafe core.pointee.wholeFrames(in: samples.count)
            let frames = unsafe min(core.pointee.readableFrames, room)
            let base = unsafe samples.withUnsafeMutableBufferPointer { $0.baseAddress }
            guard let base = unsafe base else { return 0 }
            unsafe core.pointee.copy(frameCount: frames, to: base)
            unsafe core.pointee.discard(frameCount: frames)
            return frames
        }

        /// Copies the oldest samples of one channel to the start of a span. They stay in the ring until
        /// ``discard(frameCount:)``.
        ///
        /// - Parameters:
        ///   - frameCount: 0…``readableFrames``, and no more than `samples` has.
        ///   - channel: 0..<``channelCount``.
        @_noLocks
        public mutating func copy(frameCount: Int, ofChannel channel: Int, into samples: inout MutableSpan<Float>) {
            let (count, channels) = unsafe (samples.count, core.pointee.channelCount)
            let readable = unsafe core.pointee.readableFrames
            precondition(channel >= 0 && channel < channels, "no such channel")
            precondition(frameCount >= 0 && frameCount <= readable, "more frames than there are")
            precondition(frameCount <= count, "more frames than fit")
            let base = unsafe samples.withUnsafeMutableBufferPointer { $0.baseAddress }
            guard let base = unsafe base else { return }
            unsafe core.pointee.copy(frameCount: frameCount, ofChannel: channel, to: base)
        }

        /// Copies the oldest samples of one channel to a pointer. The ring must hold that many.
        @_noLocks
        package mutating func copy(
            frameCount: Int, ofChannel channel: Int, to samples: UnsafeMutablePointer<Float>
        ) {
            unsafe core.pointee.copy(frameCount: frameCount, ofChannel: channel, to: samples)
        }

        /// Removes the oldest frames.
        ///
        /// - Parameter frameCount: 0…``readableFrames``.
        @_noLocks
        public mutating func discard(frameCount: Int) {
            let readable = unsafe core.pointee.readableFrames
            precondition(frameCount >= 0 && frameCount <= readable, "more frames than there are")
            unsafe core.pointee.discard(frameCount: frameCount)
        }
    }
}
