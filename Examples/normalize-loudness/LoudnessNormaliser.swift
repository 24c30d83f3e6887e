// SPDX-License-Identifier: MIT
import PipeBusActions

/// Makes a sound as loud as others, by one gain for all of it (EBU R 128).
///
/// A first pass measures the sound, and a second one writes it. Memory is constant but for the 24 bytes or so that
/// libebur128 keeps of each 100 ms: 1 MB an hour.
struct LoudnessNormaliser {
    /// The loudness that the result is to have, in LUFS.
    var loudness = -16.0
    /// The largest true peak of the result, in dBTP. Where the gain would exceed it, the result is quieter.
    var largestTruePeak = -1.0

    /// What was measured and done.
    struct Outcome: Equatable {
        /// The loudness of the input, in LUFS, and its true peak, in dBTP.
        var loudness, truePeak: Double
        /// In decibels.
        var gain: Double
        /// Whether the gain was reduced for the sake of the true peak.
        var isLimited: Bool

        /// The loudness of the result, in LUFS.
        var resultingLoudness: Double { loudness + gain }
    }

    /// Writes the input, with the gain that makes it as loud as wanted.
    ///
    /// - Parameters:
    ///   - output: with as many channels as the input.
    ///   - progress: gets the part that is done, 0…1, after each block; what it throws ends the work.
    /// - Throws: `SoundError` if there is no loudness, as in silence, or `CancellationError` if the task is cancelled.
    func normalise(
        _ input: SoundInput, into output: SoundOutput, progress: (Double) throws -> Void = { _ in }
    ) throws -> Outcome {
        let (measured, frameCount) = try measure(input) { try progress($0 / 2) }
        let wanted = loudness - measured.loudness
        let possible = largestTruePeak - measured.truePeak
        let outcome = Outcome(
            loudness: measured.loudness, truePeak: measured.truePeak, gain: min(wanted, possible),
            isLimited: possible < wanted)
        output.metadata = input.metadata
        try input.seek(to: 0)
        var done = 0
        let factor = Gain.factor(decibels: outcome.gain)
        while true {
            try Task.checkCancellation()
            var block = try input.read(upTo: input.blockFrameCount)
            guard !block.isEmpty else { return outcome }
            block.samples = block.samples.map { $0 * factor }
            try output.write(block)
            done += block.frameCount
            try progress(0.5 + 0.5 * Double(done) / Double(max(frameCount, done)))
        }
    }

    private func measure(
        _ input: SoundInput, progress: (Double) throws -> Void
    ) throws -> (measured: LoudnessMeter.Reading, frameCount: Int) {
        let meter = try LoudnessMeter(for: input)
        // Of a compressed file this is only what the header says.
        let expected = Double(max(input.claimedFrameCount ?? 0, 1))
        while true {
            try Task.checkCancellation()
            let block = try input.read(upTo: input.blockFrameCount)
            guard !block.isEmpty else { return (try meter.reading, meter.frameCount) }
            try meter.add(block)
            try progress(min(Double(meter.frameCount) / expected, 1))
        }
    }
}
