// SPDX-License-Identifier: MIT

extension SoundInput {
    /// The format for a result that is as long as this sound, with its channels and sample rate.
    ///
    /// It is ``SoundFormat/resultFormat``, unless that holds no such sound: then it is WAV, with samples that hold all of this sound's. A WAV file that
    /// may become larger than 4 GiB is an RF64 file from the beginning, and becomes a plain WAV file if it stays smaller.
    public var resultFormat: SoundFormat {
        let format = format.resultFormat
        guard format.holds(channelCount: channelCount, sampleRate: sampleRate), !isTooLong(for: format) else {
            return self.format.floatFormat
        }
        return format
    }

    /// By the length that the header claims: to know it exactly, a compressed file would have to be decoded.
    private func isTooLong(for format: SoundFormat) -> Bool {
        guard format.container != .wav, format.container != .wavex, let largest = format.container.largestByteCount
        else { return false }
        guard let claimedFrameCount else { return true }
        let frameSize = (format.encoding.byteCount ?? 4) * channelCount
        return claimedFrameCount > largest / frameSize
    }
}
