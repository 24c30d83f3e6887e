// SPDX-License-Identifier: MIT
import CAudioConversion
import RealtimeKit

extension FormatConverter {
    /// From an app to the graph.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe, but for the initializer and the end.
    @safe package struct FromClient: ~Copyable, @unchecked Sendable {
        // @unchecked: the memory has this owner alone.
        package let layout: SampleLayout
        package let map: ChannelMap
        private let format: cac_format
        private var rate: RateStage
        private let owner: ConverterMemory

        /// The app's channels, and what becomes of them before the resampler.
        private let decoded: Rows
        private let mean: Rows
        /// The row to which each of the app's channels goes.
        private let channels: Cells<UnsafeMutablePointer<Float>?>
        /// What went into the resampler last.
        private var history: SignalHistory
        /// Number of predicted frames that went into it.
        private var predicted = 0

        package init(_ settings: Settings) {
            cac_prepare()
            // Members are set at the end, and none is read before (Docs/Workarounds.md).
            let layout = settings.layout
            let map = ChannelMap(from: layout.channelCount, to: settings.graphChannelCount)
            let hasRows = settings.hasResampler || map.isMean
            let memory = ConverterMemory(
                rowCount: hasRows ? layout.channelCount : 0, clientChannelCount: layout.channelCount,
                resampler: settings.makeResampler(
                    channelCount: map.signalCount, from: settings.clientRate, to: settings.graphRate))
            self.layout = layout
            self.map = map
            format = layout.sample.format
            owner = memory
            rate = RateStage(
                from: settings.clientRate, to: settings.graphRate, isAdjustable: settings.isAdjustable,
                memory.resampler?.core)
            unsafe decoded = memory.rows
            unsafe mean = memory.mean
            unsafe channels = memory.channels
            let delay = memory.resampler?.core.value.delay ?? 0
            history = SignalHistory(
                rowCount: memory.resampler == nil ? 0 : map.signalCount, length: max(delay + 1, LinearPredictor.length))
        }

        /// By how much the graph's sound is later than the app's, in seconds. 0 without a resampler.
        package var delayInSeconds: Double {
            @_noLocks get { Double(rate.delay) / rate.inputRate }
        }

        /// The same in the app's frames.
        package var delay: Int { @_noLocks get { rate.delay } }

        /// Changes the rate by a factor, for an app with a clock of its own: 1.0001 takes 100 ppm more of the app's frames.
        /// Smooth. Without effect where the settings are not adjustable and the rates are equal.
        ///
        /// - Parameter factor: 0.99…1.01; clamped.
        @_noLocks
        package mutating func adjustRate(by factor: Double) {
            rate.adjust(by: 1 / factor)
        }

        /// By how much the input that was taken is ahead of the next frame of output, now, in frames of input.
        package var lead: Double { @_noLocks get { rate.lead } }

        /// Whether there is a resampler in the sound's way.
        package var isResampling: Bool { @_noLocks get { rate.isResampling } }

        /// Takes another rate of the graph, where the settings are retunable. Forgets the sound that the resampler holds back.
        ///
        /// - Parameter graphRate: in Hz; with the client's within a factor of 48.
        @_noLocks
        package mutating func setGraphRate(_ graphRate: Double) {
            rate.setRates(from: rate.inputRate, to: graphRate)
        }

        /// Forgets the sound that the resampler holds back.
        @_noLocks
        package mutating func reset() {
            rate.reset()
            history.clear()
        }

        /// The number of the app's frames that it takes to give the graph so many: with fewer than `least` it does not get as
        /// many, with `most` it does.
        @_noLocks
        package func inputFramesNeeded(forOutput count: Int) -> (least: Int, most: Int) {
            rate.inputFramesNeeded(forOutput: count)
        }

        /// Converts until the input or the room for the output has come to an end.
        ///
        /// - Parameters:
        ///   - planes: ``SampleLayout/planeCount`` addresses.
        ///   - start: the first frame, counted from the addresses.
        ///   - rows: one for each of the graph's channels. All are written.
        ///   - place: the first frame to store in the rows.
        ///   - capacity: number of frames to store at most.
        /// - Returns: the numbers of the app's frames and of the graph's.
        @_noLocks
        package mutating func convert(
            _ planes: Planes, from start: Int = 0, frames: Int, into rows: Rows, at place: Int = 0, capacity: Int
        ) -> (consumed: Int, produced: Int) {
            if !rate.isResampling && !map.isMean {
                // Nothing on the way, so no piece needs memory of its own.
                let count = min(frames, capacity)
                unsafe load(planes, from: start, count, into: rows, at: place, isStraight: true)
                unsafe fillRest(of: rows, at: place, count)
                return (count, count)
            }
            var consumed = 0
            var produced = 0
            while produced < capacity {
                let room = min(capacity - produced, FormatConverter.piece)
                let needed = min(inputFramesNeeded(forOutput: room).most, FormatConverter.piece)
                let given = min(frames - consumed, needed)
                let (taken, made) = unsafe convertPiece(
                    planes, from: start + consumed, given, into: rows, at: place + produced, room)
                consumed += taken
                produced += made
                if taken == 0 && made == 0 { break }
            }
            return (consumed, produced)
        }

        @_noLocks
        private mutating func convertPiece(
            _ planes: Planes, from start: Int, _ frames: Int, into rows: Rows, at place: Int, _ room: Int
        ) -> (taken: Int, made: Int) {
            unsafe load(planes, from: start, frames, into: rows, at: place, isStraight: false)
            var (taken, made) = (frames, frames)
            var signals = unsafe decoded
            if map.isMean {
                let destination =
                    unsafe rate.isResampling ? mean[0].unsafelyUnwrapped : rows[0].unsafelyUnwrapped + place
                if frames > 0 {
                    unsafe cac_mean(destination, decoded, UInt32(map.sourceCount), 0, UInt32(frames))
                }
                unsafe signals = unsafe mean
            }
            if let result = unsafe rate.process(
                signals, inputFrames: frames, into: rows, at: place, outputCapacity: room)
            {
                (taken, made) = result
                unsafe history.append(signals, from: 0, taken)
            }
            unsafe fillRest(of: rows, at: place, made)
            return (taken, made)
        }

        /// Takes the app's samples.
        ///
        /// - Parameter isStraight: the signals go to the graph's rows, because nothing is in between.
        @_noLocks
        private func load(
            _ planes: Planes, from start: Int, _ frames: Int, into rows: Rows, at place: Int, isStraight: Bool
        ) {
            guard frames > 0 else { return }
            var targets = unsafe rows
            if !isStraight || !map.isIdentity {
                for channel in 0..<layout.channelCount {
                    let isUsed = map.isMean || channel < map.signalCount
                    let row = unsafe isStraight ? rows[isUsed ? channel : 0] : decoded[channel]
                    unsafe channels[channel] = isUsed ? row : nil
                }
                unsafe targets = unsafe Rows(channels.pointer(at: 0))
            }
            var samples = unsafe cac_samples(
                planes: planes, first: UInt32(truncatingIfNeeded: start),
                channel_count: UInt32(truncatingIfNeeded: layout.channelCount), format: format,
                is_interleaved: layout.isInterleaved)
            unsafe cac_load(
                targets, UInt32(truncatingIfNeeded: isStraight ? place : 0), &samples,
                UInt32(truncatingIfNeeded: frames))
        }

        /// The channels of the graph that have no signal of their own.
        @_noLocks
        private func fillRest(of rows: Rows, at place: Int, _ frames: Int) {
            guard frames > 0 else { return }
            let signal = unsafe rows[0].unsafelyUnwrapped + place
            for channel in map.signalCount..<max(map.signalCount, map.destinationCount) {
                let row = unsafe rows[channel].unsafelyUnwrapped + place
                if map.signal(in: channel) < 0 {
                    unsafe cac_silence(row, UInt32(frames))
                } else {
                    unsafe cac_copy(row, signal, UInt32(frames))
                }
            }
        }

        // MARK: Ends and beginnings

        /// Number of frames that are kept of what went into the resampler.
        package var historyLength: Int { @_noLocks get { history.length } }

        /// Whether it is known what went before.
        package var hasHistory: Bool { @_noLocks get { history.count > 0 } }

        /// Takes frames of the signals, at the client's rate, for what went before. The resampler does not see them.
        ///
        /// - Parameter signals: a row for each of ``ChannelMap/signalCount``.
        @_noLocks
        package mutating func remember(_ signals: Rows, from start: Int, frames: Int) {
            guard rate.hasResampler else { return }
            unsafe history.append(signals, from: start, frames)
        }

        /// Fills the resampler with what went before, after ``setGraphRate(_:)`` or at the beginning, for nobody.
        ///
        /// - Parameter frames: where more than there are, the oldest one stands for those before.
        /// - Returns: number of the graph's frames that came of it.
        @_noLocks
        package mutating func prime(frames: Int) -> Int {
            guard rate.isResampling, history.count > 0 else { return 0 }
            var (rest, produced) = (frames, 0)
            while rest > 0 {
                let first = history.end &- min(rest, history.count)
                let count = rest > history.count ? 1 : min(rest, FormatConverter.piece)
                guard
                    let (taken, made) = unsafe rate.process(
                        history.rows, from: first, inputFrames: count, into: decoded,
                        outputCapacity: FormatConverter.piece)
                else { break }
                rest &-= taken
                produced &+= made
                if taken == 0 && made == 0 { break }
            }
            return produced
        }

        /// Works out how the sound that went in would probably go on, for ``convertPrediction(into:at:capacity:)``.
        @_noLocks
        package mutating func predict() {
            guard rate.isResampling else { return }
            predicted = 0
            history.predict(history.length)
        }

        /// Converts frames that were predicted, until the room for the output has come to an end.
        ///
        /// - Returns: number of frames that were stored.
        @_noLocks
        package mutating func convertPrediction(into rows: Rows, at place: Int, capacity: Int) -> Int {
            guard history.count > 0 else { return 0 }
            var produced = 0
            while produced < capacity {
                let room = min(capacity &- produced, FormatConverter.piece)
                // A resampler for another rate may reach further than what was predicted; then the last frame is held.
                let first = min(predicted, history.length &- 1)
                let given = min(
                    min(inputFramesNeeded(forOutput: room).most, FormatConverter.piece), history.length &- first)
                guard
                    let (taken, made) = unsafe rate.process(
                        history.rows, from: history.end &+ first, inputFrames: given, into: rows, at: place &+ produced,
                        outputCapacity: room)
                else { break }
                unsafe fillRest(of: rows, at: place &+ produced, made)
                predicted &+= taken
                produced &+= made
                if taken == 0 && made == 0 { break }
            }
            return produced
        }
    }
}
