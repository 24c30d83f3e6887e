// SPDX-License-Identifier: MIT

/// The header of a WAV file. Room for 64-bit sizes is kept from the start, so a file that outgrows 4 GiB becomes an RF64
/// file where it is (EBU Tech 3306).
struct WaveHeader: Sendable {
    let channelCount: Int
    let sampleRate: Int
    let format: SampleFormat
    /// Bytes in front of the first frame.
    let size: Int
    /// Bytes of one frame.
    let frameSize: Int

    init(channelCount: Int, sampleRate: Int, format: SampleFormat) {
        self.channelCount = channelCount
        self.sampleRate = sampleRate
        self.format = format
        frameSize = channelCount * format.rawValue / 8
        size = 12 + 36 + (channelCount > 2 ? 48 : 24) + 8
    }

    /// Bytes of a whole file: its sound ends at an even place.
    func fileSize(frameCount: Int) -> Int { size + (frameCount * frameSize + 1) & ~1 }

    /// - Parameter frameCount: frames in the file, so few that their bytes are a number.
    func bytes(frameCount: Int) -> [UInt8] {
        var header = Bytes()
        let dataSize = frameCount * frameSize
        let riffSize = fileSize(frameCount: frameCount) - 8
        let isLarge = riffSize > Int(UInt32.max)
        header.put(isLarge ? "RF64" : "RIFF")
        header.put(isLarge ? Int(UInt32.max) : riffSize, bytes: 4)
        header.put("WAVE")
        header.put(isLarge ? "ds64" : "JUNK")
        header.put(28, bytes: 4)
        header.put(isLarge ? riffSize : 0, bytes: 8)
        header.put(isLarge ? dataSize : 0, bytes: 8)
        header.put(isLarge ? frameCount : 0, bytes: 8)
        header.put(0, bytes: 4)
        header.content += formatChunk
        header.put("data")
        header.put(isLarge ? Int(UInt32.max) : dataSize, bytes: 4)
        return header.content
    }

    /// The short form for what every player knows, the extensible one for more than two channels.
    private var formatChunk: [UInt8] {
        let tag = format == .float32 ? 3 : 1
        let isExtended = channelCount > 2
        var chunk = Bytes()
        chunk.put("fmt ")
        chunk.put(isExtended ? 40 : 16, bytes: 4)
        chunk.put(isExtended ? 0xFFFE : tag, bytes: 2)
        chunk.put(channelCount, bytes: 2)
        chunk.put(sampleRate, bytes: 4)
        chunk.put(sampleRate * frameSize, bytes: 4)
        chunk.put(frameSize, bytes: 2)
        chunk.put(format.rawValue, bytes: 2)
        if isExtended {
            chunk.put(22, bytes: 2)
            chunk.put(format.rawValue, bytes: 2)
            // No channel belongs to a certain loudspeaker.
            chunk.put(0, bytes: 4)
            chunk.put(tag, bytes: 2)
            // The rest of the format's GUID.
            chunk.content += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        }
        return chunk.content
    }

    private struct Bytes {
        var content: [UInt8] = []

        mutating func put(_ text: String) { content += text.utf8 }
        mutating func put(_ value: Int, bytes: Int) {
            for byte in 0..<bytes { content.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
        }
    }
}
