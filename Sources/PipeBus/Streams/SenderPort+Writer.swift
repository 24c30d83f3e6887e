// SPDX-License-Identifier: MIT

extension SenderPort {
    /// Makes the writer of a sender that was added without a process block. A sender has one at a time; the next one may be made
    /// when it is released, or while its `finish` waits. Sound of it that was not played yet is dropped.
    ///
    /// - Parameters:
    ///   - format: the form of the samples.
    ///   - bufferSize: the largest number of frames that wait, 16…2^24, in frames of the graph; of live sound more by its latency. A larger buffer bears longer pauses of
    ///     the app; sound that was written is heard later by at most that much.
    ///   - liveLatency: for live sound, the age at which it leaves, in frames of the graph, 0…1 048 576: the time that the app may take to
    ///     bring it, and a block and two cycles. It is published as the port's latency. `nil` for sound of no time, such as a file's.
    ///   - hasOwnClock: whether the app's live sound is made at the pace of another clock than the graph's, by ±500 ppm. A resampler
    ///     then follows it, also where the rates are nominally equal. The format must have a sample rate.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `closed`, `connectionLost` or `timedOut`; `notSupported` if the sender has a process
    ///   block, or a writer.
    public func makeWriter(
        format: StreamFormat = .float32, bufferSize: Int = 16_384, liveLatency: Int? = nil, hasOwnClock: Bool = false
    ) async throws -> Writer {
        try format.check(hasOwnClock: hasOwnClock)
        if hasOwnClock, liveLatency == nil {
            throw PipeBusError(
                .invalidArgument, "Sound of a clock of the app's own is live: say with liveLatency when it leaves.")
        }
        guard (16...(1 << 24)).contains(bufferSize) else {
            throw PipeBusError(
                .invalidArgument, "A writer's buffer has 16 to \(1 << 24) frames, not \(bufferSize).")
        }
        if let liveLatency { try PortChecks.check(latency: liveLatency) }
        guard let writers else {
            throw PipeBusError(
                .notSupported,
                "The port \"\(Names.shown(name))\" has a process block, which makes its sound; add a sender without one for a writer."
            )
        }
        let memory = WriterMemory(
            channelCount: channels.count, limit: bufferSize + (liveLatency ?? 0), liveLatency: liveLatency,
            port: handle.cells.core)
        do {
            try writers.put(memory)
        } catch .isClosed {
            throw PipeBusError(.closed, "The port \"\(Names.shown(name))\" is closed.")
        } catch .hasWriter {
            throw PipeBusError(.notSupported, "The port \"\(Names.shown(name))\" has a writer; release it first.")
        }
        let writer = Writer(memory, of: self, format: format, liveLatency: liveLatency, hasOwnClock: hasOwnClock)
        try await setLatency(.frames(liveLatency ?? 0))
        return writer
    }
}
