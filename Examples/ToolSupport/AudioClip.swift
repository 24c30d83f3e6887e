// SPDX-License-Identifier: MIT
import CSndFile
import Glibc

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
        let descriptor = try Self.open(path)
        defer { close(descriptor) }
        var info = SF_INFO()
        guard let file = unsafe sf_open_fd(descriptor, Int32(SFM_READ), &info, 0) else {
            throw ToolFailure(
                "\(path) is not a sound file that can be read (\(unsafe SoundFileError.text(nil))); use a WAV file.")
        }
        defer { unsafe sf_close(file) }
        let channelCount = Int(info.channels)
        guard (1...64).contains(channelCount) else {
            throw ToolFailure("\(path) has \(channelCount) channels, and a port has 64 at most; use a file with fewer.")
        }
        let samples = unsafe try Self.readAll(file, channelCount: channelCount, path: path)
        guard !samples.isEmpty else { throw ToolFailure("\(path) holds no sound; use a file that does.") }
        self.init(samples: samples, channelCount: channelCount, sampleRate: Int(info.samplerate))
    }

    private static func open(_ path: String) throws -> Int32 {
        // A pipe without a writer must not block this program.
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ToolFailure("\(path) cannot be read: \(SoundFileError.advice()).") }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ToolFailure("\(path) is not a file; name a WAV file.")
        }
        return descriptor
    }

    /// Reads all frames. A header can claim any length, so the file's content decides.
    private static func readAll(_ file: OpaquePointer, channelCount: Int, path: String) throws -> [Float] {
        var samples: [Float] = []
        let block = 1 << 16
        while true {
            let old = samples.count
            guard old + block * channelCount <= mostSamples else {
                throw ToolFailure("\(path) is too long to be held in memory; use a shorter one.")
            }
            samples.append(contentsOf: repeatElement(0, count: block * channelCount))
            let read = unsafe samples.withUnsafeMutableBufferPointer { buffer in
                unsafe sf_readf_float(file, buffer.baseAddress! + old, sf_count_t(block))
            }
            samples.removeLast((block - Int(read)) * channelCount)
            guard read > 0 else { return samples }
        }
    }
}
