// SPDX-License-Identifier: MIT
import CAudioConversion
import RealtimeKit

extension FormatConverter {
    /// From the graph to an app.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe, but for the initializer and the end.
    @safe package struct ToClient: ~Copyable, @unchecked Sendable {
        // @unchecked: the memory has this owner alone.
        package let layout: SampleLayout
        package let map: ChannelMap
        private let format: cac_format
        private var rate: RateStage
        private let owner: ConverterMemory
        private var dither = cac_dither()

        /// The signals, after the mean and the resampler.
        private let signals: Rows
        private let mean: Rows
        /// The row of each of the app's channels.
        private let channels: Cells<UnsafeMutablePointer<Float>?>

        /// - Parameter seed: of the dither. Streams with different seeds have independent noise.
        package init(_ settings: Settings, seed: UInt64 = 0) {
            cac_prepare()
            // Members are set at the end, and none is read before (Docs/Workarounds.md).
            let layout = settings.layout
            let map = ChannelMap(from: settings.graphChannelCount, to: layout.channelCount)
            let memory = ConverterMemory(
                rowCount: settings.hasResampler ? map.signalCount : 0, clientChannelCount: layout.channelCount,
                resampler: settings.makeResampler(
                    channelCount: map.signalCount, from: settings.graphRate, to: settings.clientRate))
            self.layout = layout
            self.map = map
            format = layout.sample.format
            owner = memory
            rate = RateStage(
                from: settings.graphRate, to: settings.clientRate, isAdjustable: settings.isAdjustable,
                memory.resampler?.core)
            unsafe signals = memory.rows
            unsafe mean = memory.mean
            unsafe channels = memory.channels
            unsafe cac_dither_seed(&dither, seed)
        }

        /// By how much the app's sound is later than the graph's, in seconds. 0 without a resampler.
        package var delayInSeconds: Double {
            @_noLocks get { Double(rate.delay) / rate.inputRate }
        }

        /// The same in the app's frames, rounded.
        package var delay: Int { @_noLocks get { Int(delayInSeconds * rate.outputRate + 0.5) } }

        /// Changes the rate by a factor, for an app with a clock of its own: 1.0001 gives the app 100 ppm more frames. Smooth.
        /// Without effect where the settings are not adjustable and the rates are equal.
        ///
        /// - Parameter factor: 0.99…1.01; clamped.
        @_noLocks
        package mutating func adjustRate(by factor: Double) {
            rate.adjust(by: factor)
        }

        /// By how much the input that was taken is ahead of the next frame of output, now, in frames of input.
        package var lead: Double { @_noLocks get { rate.lead } }

        /// The app's frames for each of the graph's, nominally.
        package var ratio: Double { @_noLocks get { rate.outputRate / rate.inputRate } }

        /// Whether there is a resampler in the sound's way.
        package var isResampling: Bool { @_noLocks get { rate.isResampling } }

        /// Takes another rate of the graph, where the settings are retunable. Forgets the sound that the resampler holds back.
        ///
        /// - Parameter graphRate: in Hz; with the client's within a factor of 48.
        @_noLocks
        package mutating func setGraphRate(_ graphRate: Double) {
            rate.setRates(from: graphRate, to: rate.outputRate)
        }

        /// Forgets the sound that the resampler holds back.
        @_noLocks
        package mutating func reset() { rate.reset() }

        /// The number of the graph's frames that it takes to give the app so many: with fewer than `least` it does not get as
        /// many, with `most` it does.
        @_noLocks
        package func inputFramesNeeded(forOutput count: Int) -> (least: Int, most: Int) {
            rate.inputFramesNeeded(forOutput: count)
        }

        /// Converts until the input or the room for the output has come to an end.
        ///
        /// - Parameters:
        ///   - rows: one for each of the graph's channels.
        ///   - start: the first frame in the rows.
        ///   - planes: ``SampleLayout/planeCount`` addresses.
        ///   - place: the first frame to store, counted from the addresses.
        ///   - capacity: number of frames to store at most.
        /// - Returns: the numbers of the graph's frames and of the app's.
        @_noLocks
        package mutating func convert(
            _ rows: Rows, from start: Int = 0, frames: Int, into planes: Planes, at place: Int = 0, capacity: Int
        ) -> (consumed: Int, produced: Int) {
            if !rate.isResampling {
                let count = min(frames, capacity)
                unsafe store(rows, from: start, frames: count, into: planes, at: place)
                return (count, count)
            }
            var consumed = 0
            var produced = 0
            while produced < capacity {
                let room = min(capacity - produced, FormatConverter.piece)
                let needed = min(inputFramesNeeded(forOutput: room).most, FormatConverter.piece)
                let given = min(frames - consumed, needed)
                let (taken, made) = unsafe convertPiece(
                    rows, from: start + consumed, given, into: planes, at: place + produced, room)
                consumed += taken
                produced += made
                if taken == 0 && made == 0 { break }
            }
            return (consumed, produced)
        }

        /// Converts frames where there is no resampler in the sound's way.
        ///
        /// - Parameters:
        ///   - rows: one for each of the graph's channels.
        ///   - start: the first frame in the rows.
        ///   - planes: ``SampleLayout/planeCount`` addresses, with room for as many frames.
        ///   - place: the first frame to store, counted from the addresses.
        @_noLocks
        package mutating func store(
            _ rows: Rows, from start: Int, frames: Int, into planes: Planes, at place: Int
        ) {
            guard map.isMean else { return unsafe storeSignals(rows, from: start, frames, into: planes, at: place) }
            var done = 0
            while done < frames {
                let count = min(frames - done, FormatConverter.piece)
                unsafe takeMean(of: rows, from: start + done, count)
                unsafe storeSignals(mean, from: 0, count, into: planes, at: place + done)
                done += count
            }
        }

        @_noLocks
        private func takeMean(of rows: Rows, from start: Int, _ frames: Int) {
            guard frames > 0 else { return }
            unsafe cac_mean(mean[0].unsafelyUnwrapped, rows, UInt32(map.sourceCount), UInt32(start), UInt32(frames))
        }

        /// One piece, through the resampler.
        @_noLocks
        private mutating func convertPiece(
            _ rows: Rows, from start: Int, _ frames: Int, into planes: Planes, at place: Int, _ room: Int
        ) -> (taken: Int, made: Int) {
            var (sources, first) = unsafe (rows, start)
            if map.isMean {
                unsafe takeMean(of: rows, from: start, frames)
                unsafe (sources, first) = unsafe (mean, 0)
            }
            let result = unsafe rate.process(
                sources, from: first, inputFrames: frames, into: signals, outputCapacity: room)
            guard let (taken, made) = result else { return (0, 0) }
            unsafe storeSignals(signals, from: 0, made, into: planes, at: place)
            return (taken, made)
        }

        /// Stores the signals in the app's channels.
        @_noLocks
        private mutating func storeSignals(
            _ sources: Rows, from first: Int, _ frames: Int, into planes: Planes, at place: Int
        ) {
            guard frames > 0 else { return }
            var rows = unsafe sources
            if !map.isIdentity {
                for channel in 0..<layout.channelCount {
                    let signal = map.signal(in: channel)
                    unsafe channels[channel] = signal < 0 ? nil : sources[signal]
                }
                unsafe rows = unsafe Rows(channels.pointer(at: 0))
            }
            var samples = unsafe cac_samples(
                planes: planes, first: UInt32(truncatingIfNeeded: place),
                channel_count: UInt32(truncatingIfNeeded: layout.channelCount), format: format,
                is_interleaved: layout.isInterleaved)
            let (first, count) = (UInt32(truncatingIfNeeded: first), UInt32(truncatingIfNeeded: frames))
            if layout.ditherEnabled {
                unsafe cac_store(&samples, rows, first, count, &dither)
            } else {
                unsafe cac_store(&samples, rows, first, count, nil)
            }
        }
    }
}
