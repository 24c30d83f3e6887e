// SPDX-License-Identifier: MIT
import Glibc
import Synchronization
import ToolSupport

/// The file that is rendered into: it has its name once it is complete, and is gone otherwise.
final class RenderOutput: Sendable {
    let path: String
    private let file: UnfinishedFile
    private let writer: Mutex<Writer>

    private let channelCount: Int
    /// Whether the format ends at full scale.
    private let isBounded: Bool

    private struct Writer: ~Copyable {
        var file: SoundFileWriter?
        var clippedFrames = 0
    }

    /// - Parameters:
    ///   - input: the path of the file that is read.
    ///   - isReplacing: whether a file may be replaced.
    /// - Throws: ``ToolFailure``.
    static func check(_ path: String, apartFrom input: String) throws {
        var (own, other) = (stat(), stat())
        guard unsafe stat(path, &own) == 0, unsafe stat(input, &other) == 0, own.st_dev == other.st_dev,
            own.st_ino == other.st_ino
        else { return }
        throw ToolFailure("\(path) is the file that is read; name another one for the result.")
    }

    init(
        path: String, replacing isReplacing: Bool, channelCount: Int, sampleRate: Int, format: SampleFormat,
        as fileFormat: FileFormat
    ) throws {
        self.path = path
        self.channelCount = channelCount
        isBounded = format != .float32
        let file = try UnfinishedFile(for: path, replacing: isReplacing)
        self.file = file
        do {
            writer = Mutex(
                Writer(
                    file: try SoundFileWriter(
                        file.output, channelCount: channelCount, sampleRate: sampleRate, format: format, as: fileFormat)
                ))
        } catch {
            file.discard()
            throw error
        }
    }

    /// The number of frames with a sample beyond full scale, which the format clips.
    var clippedFrames: Int { writer.withLock { $0.clippedFrames } }

    /// Adds interleaved frames. It waits for the disk.
    ///
    /// - Throws: ``ToolFailure``.
    func write(_ samples: [Float]) throws {
        try writer.withLock { writer in
            do { try writer.file?.write(samples[...]) } catch { throw failure(error) }
            guard isBounded else { return }
            for frame in stride(from: 0, to: samples.count, by: channelCount)
            where samples[frame..<(frame + channelCount)].contains(where: { abs($0) > 1 }) {
                writer.clippedFrames += 1
            }
        }
    }

    /// Completes the file and gives it its name.
    ///
    /// - Throws: ``ToolFailure``.
    func finish() throws {
        try writer.withLock { writer in
            do { try writer.file.take()?.close() } catch { throw failure(error) }
        }
        try file.publish()
    }

    /// Removes the file, unless it has its name already.
    func discard() { file.discard() }

    /// The writer's own error says what can be played, and nothing is left of that.
    private func failure(_ error: any Error) -> any Error {
        guard let reason = (error as? ToolFailure)?.reason else { return error }
        return ToolFailure("\(path) could not be written (\(reason)); make room, or name a file on another disk.")
    }
}
