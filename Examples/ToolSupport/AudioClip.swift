// SPDX-License-Identifier: MIT

/// Sound held in memory.
package struct AudioClip: Sendable {
    /// Interleaved samples; full scale is −1…1.
    package let samples: [Float]
    package let channelCount: Int
    package let frameCount: Int
    /// The sample rate, in hertz.
    package let sampleRate: Int

    package init(samples: [Float], channelCount: Int, sampleRate: Int) {
        self.samples = samples
        self.channelCount = channelCount
        self.sampleRate = sampleRate
        frameCount = samples.count / channelCount
    }

    /// 2 GiB of samples: three hours of stereo at 48 kHz.
    private static let mostSamples = 1 << 29

    /// Reads a whole file, WAV or any other format of libsndfile.
    ///
    /// - Throws: ``ToolFailure``.
    package init(contentsOf path: String) throws {
        let file = try SoundFileReader(path: path)
        var samples: [Float] = []
        while true {
            let block = try file.read(upTo: 1 << 16)
            guard !block.isEmpty else { break }
            samples += block
            guard samples.count <= Self.mostSamples else {
                throw ToolFailure("\(path) is too long to be held in memory; use a shorter one.")
            }
        }
        guard !samples.isEmpty else { throw ToolFailure("\(path) holds no sound; use a file that does.") }
        self.init(samples: samples, channelCount: file.channelCount, sampleRate: file.sampleRate)
    }
}
