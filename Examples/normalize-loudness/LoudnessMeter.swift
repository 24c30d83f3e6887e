// SPDX-License-Identifier: MIT
import CEBUR128
import PipeBusActions

/// Measures the integrated loudness and the true peak of a sound (ITU-R BS.1770-4), by libebur128.
@safe final class LoudnessMeter {
    struct Reading: Equatable {
        /// In LUFS, and in dBTP.
        var loudness, truePeak: Double
    }

    private(set) var frameCount = 0
    private let name: String
    private let channelCount: Int
    private let sampleRate: Int
    private var state: UnsafeMutablePointer<ebur128_state>?

    /// The filter of BS.1770-4 begins at 1.7 kHz, of which a sound of less than twice that has nothing. For the lowest sample rates libebur128 writes
    /// outside of its memory.
    private static let sampleRates = 4000...2_822_400

    /// - Throws: `SoundError` if such a sound cannot be measured.
    init(for input: SoundInput) throws {
        name = input.displayName
        channelCount = input.channelCount
        sampleRate = input.sampleRate
        if Self.sampleRates.contains(sampleRate) {
            unsafe state = ebur128_init(
                UInt32(channelCount), UInt(sampleRate),
                Int32(EBUR128_MODE_I.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue))
        }
        guard unsafe state != nil else {
            throw SoundError(
                .unsuitable,
                "The loudness of \(name) cannot be measured, as it has \(channelCount) channels at \(sampleRate) Hz; use 1 to 64 channels at \(Self.sampleRates.lowerBound) to \(Self.sampleRates.upperBound) Hz."
            )
        }
        for (channel, position) in ChannelPositions.positions(of: input).enumerated() {
            unsafe ebur128_set_channel(state, UInt32(channel), Int32(position.rawValue))
        }
    }

    deinit { if unsafe state != nil { unsafe ebur128_destroy(&state) } }

    /// Adds frames. Samples that are no numbers, or infinite, count as silence.
    ///
    /// - Throws: `SoundError` if there is no memory.
    func add(_ block: SoundBlock) throws {
        let samples = block.samples.map { $0.isFinite ? $0 : 0 }
        let result = unsafe ebur128_add_frames_double(state, samples, block.frameCount)
        guard result == Int32(EBUR128_SUCCESS.rawValue) else {
            throw SoundError(.unsuitable, "There is no memory to measure \(name); close other programs.")
        }
        frameCount += block.frameCount
    }

    /// What was measured of the frames so far.
    ///
    /// - Throws: `SoundError` if there is no loudness.
    var reading: Reading {
        get throws {
            // BS.1770-4 measures blocks of 400 ms.
            guard 5 * frameCount >= 2 * sampleRate else {
                throw SoundError(
                    .unsuitable,
                    "\(name) is shorter than 0.4 seconds, so it has no loudness; use a longer sound.")
            }
            var loudness = 0.0
            unsafe ebur128_loudness_global(state, &loudness)
            var peak = 0.0
            for channel in 0..<channelCount {
                var value = 0.0
                unsafe ebur128_true_peak(state, UInt32(channel), &value)
                peak = max(peak, value)
            }
            guard loudness > -.infinity, peak > 0 else {
                throw SoundError(
                    .unsuitable,
                    "\(name) is silent, or quieter than -70 LUFS, so it has no loudness; use a louder sound.")
            }
            guard loudness.isFinite, peak.isFinite else {
                throw SoundError(
                    .unsuitable, "\(name) has samples that are too large to be measured; use another copy of it.")
            }
            return Reading(loudness: loudness, truePeak: Gain.decibels(factor: peak))
        }
    }
}
