// SPDX-License-Identifier: MIT

extension ReceiverPort {
    /// Makes a capture of the receiver's sound from now on: of its mix, or of each source of a receiver of separate streams.
    ///
    /// It may be made of any receiver, also of one with a process block, which goes on. A receiver has at most 8 captures and
    /// readers at a time. A capture that must have the very first cycle is made with its port: ``BusClient/capture(_:title:channels:lanes:alignment:fade:panLaw:isMonitoring:levels:keepsRunning:after:minimumCapacity:)``.
    ///
    /// - Parameters:
    ///   - format: the form of the samples. With a sample rate of its own the sound is resampled when it is read, on the
    ///     reader's thread; the last millisecond before a gap comes with the sound after it, or at the end.
    ///   - minimumCapacity: number of frames of each lane that the capture may lag, 1…2^26; rounded up to a power of
    ///     two. By default five seconds at 48 kHz. For cycles shorter than 32 frames it is as many cycles as of 32. All lanes
    ///     together hold at most 2^28 samples, of 4 bytes each.
    /// - Thread: any but the audio thread.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `closed`, or `notSupported` if the receiver has 8 already.
    public func makeCapture(format: StreamFormat = .float32, minimumCapacity: Int = 1 << 18) throws -> Capture {
        try format.check()
        let stream = try makeStream(
            minimumCapacity: minimumCapacity, records: StreamMemory.records(of: minimumCapacity))
        return Capture(stream, of: memory.streams, port: self, format: format)
    }

    func makeStream(minimumCapacity: Int, records: Int) throws -> StreamMemory {
        let stream = try StreamMemory.make(
            laneCount: laneCount, width: channels.count, isSeparate: isSeparate, minimumCapacity: minimumCapacity,
            records: records)
        do {
            try memory.streams.add(stream)
        } catch .isFinished {
            throw PipeBusError(.closed, "The port \"\(Names.shown(name))\" is closed.")
        } catch .isFull {
            throw PipeBusError(
                .notSupported,
                "A receiver has at most \(StreamTable.capacity) captures and readers at a time; release one that is not needed."
            )
        }
        return stream
    }
}

extension ReceiverPort {
    /// Makes a reader of the receiver's sound from now on: of its mix, or of each source of a receiver of separate streams.
    ///
    /// It may be made of any receiver, also of one with a process block, which goes on. A receiver has at most 8 captures and
    /// readers at a time.
    ///
    /// - Parameters:
    ///   - format: the form of the samples.
    ///   - blockSize: the number of frames that the app usually reads at once, 0…10 000, in frames of the graph. With 0 the reader
    ///     finds out, and waits a little longer when a block is longer than all before. Of blocks longer than 10 000 frames parts may
    ///     be left out (``ReaderStatistics/discardedFrames``).
    ///   - hasOwnClock: whether the app reads at the pace of another clock than the graph's, by ±500 ppm. A resampler then follows it,
    ///     also where the rates are nominally equal. The format must have a sample rate.
    /// - Thread: any but the audio thread.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `closed`, or `notSupported` if the receiver has 8 already.
    public func makeReader(format: StreamFormat = .float32, blockSize: Int = 0, hasOwnClock: Bool = false) throws
        -> Reader
    {
        try format.check(hasOwnClock: hasOwnClock)
        guard (0...10_000).contains(blockSize) else {
            throw PipeBusError(.invalidArgument, "A reader's block has 0 to 10000 frames, not \(blockSize).")
        }
        let stream = try makeStream(minimumCapacity: readerCapacity(appRate: format.sampleRate), records: 1 << 13)
        let reading = ReaderMemory(
            stream, of: memory.streams, port: handle.cells, fade: memory.fade, declaredBlock: blockSize)
        return Reader(reading, of: self, format: format, hasOwnClock: hasOwnClock)
    }

    /// The number of frames of a lane that a reader holds, also after a change of the graph to 192 kHz. A receiver that is too wide
    /// for that has the memory for its present rate.
    private func readerCapacity(appRate: Int?) -> Int {
        let rate = max(handle.cells.sampleRate, 48_000)
        let most = Self.readerCapacity(appRate: appRate, graphRate: max(rate, 192_000))
        let rowCount = (isSeparate ? laneCount : 1) * channels.count
        // 64 MiB.
        let isSmall = StreamMemory.capacity(atLeast: most) * rowCount <= 1 << 24
        return isSmall ? most : Self.readerCapacity(appRate: appRate, graphRate: rate)
    }

    /// More than the longest distance from the graph: a block and two cycles, and half a second.
    private static func readerCapacity(appRate: Int?, graphRate: Int) -> Int {
        let block = 10_000 * graphRate / min(appRate ?? graphRate, graphRate)
        return max(block + 2 * AudioCycle.maximumFrameCount + graphRate / 2, 1 << 17)
    }
}
