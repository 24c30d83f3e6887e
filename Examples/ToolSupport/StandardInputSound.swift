// SPDX-License-Identifier: MIT
import Glibc
package import PipeBus

/// Sound that another program writes into the standard input: a WAV stream, or raw samples.
///
/// - Thread: any that may wait, one at a time.
package final class StandardInputSound: @unchecked Sendable {
    // @unchecked: one thread at a time uses it.
    private var bytes: [UInt8] = []
    private var isAtEnd = false
    /// Whether some of the sound was taken.
    private var hasSound = false
    private let raw: StreamFormat?
    private var sample = WaveSample.int8
    private var bytesPerFrame = 1
    /// Bytes of the sound that are still to come; of a stream without a length all that come.
    private var remaining = Int.max
    /// Bytes of sound that the head of a WAV stream claims; 0 if it does not.
    private var claimed = 0

    /// - Parameter raw: of samples without a head; `nil` for a WAV stream.
    package init(raw: StreamFormat?) { self.raw = raw }

    /// Reads the head of a WAV stream, up to its sound.
    ///
    /// - Parameter isEnding: polled while nothing comes.
    /// - Returns: the form of the sound that ``next()`` gives; `nil` if the tool is ending.
    /// - Throws: ``ToolFailure`` if it is no such stream.
    package func readHead(isEnding: () -> Bool) throws -> StreamFormat? {
        if let raw {
            begin(.plain(raw.sample), channels: raw.channelCount ?? 1)
            return raw
        }
        let hasHead = try wait(for: 12, unless: isEnding)
        if isEnding() { return nil }
        guard hasHead, text(0) == "RIFF" || text(0) == "RF64", text(8) == "WAVE" else {
            throw ToolFailure(
                bytes.isEmpty
                    ? "The input ended before any sound came; write a WAV file into it, as with \"< song.wav\"."
                    : "The input is no WAV stream; send one, or give --rate, --channels and --sample for raw samples.")
        }
        bytes.removeFirst(12)
        var format: StreamFormat?
        while try wait(for: 8, unless: isEnding) {
            let (name, length) = (text(0), number(4, 4))
            bytes.removeFirst(8)
            if name == "data" {
                guard let format else { break }
                if WaveHead.isKnown(length: length) { (claimed, remaining) = (length, length) }
                return format
            }
            // A chunk of any length takes no more memory than what is read at once.
            if name == "fmt ", length >= 16, try wait(for: min(length, 26), unless: isEnding) {
                format = try self.format(length)
            }
            try skip(length + length % 2, unless: isEnding)
        }
        if isEnding() { return nil }
        throw ToolFailure(
            "The input is a WAV stream without \(format == nil ? "a format" : "sound"); send another one.")
    }

    private func begin(_ sample: WaveSample, channels: Int) {
        self.sample = sample
        bytesPerFrame = channels * sample.byteCount
    }

    private func format(_ length: Int) throws -> StreamFormat {
        let (channels, rate, bits) = (number(2, 2), number(4, 4), number(14, 2))
        // In an extensible format the kind is the beginning of a longer number.
        let isExtensible = number(0, 2) == 0xFFFE && length >= 26
        guard let sample = WaveSample(tag: number(isExtensible ? 24 : 0, 2), bits: bits) else {
            throw ToolFailure(
                "The stream's samples have \(bits) bits in a form that cannot be played; send integers of 8, 16, 24 or 32 bits, "
                    + "floats of 32 or 64, µ-law or A-law.")
        }
        guard (1...64).contains(channels), (8_000...384_000).contains(rate) else {
            throw ToolFailure(
                "The stream has \(channels) channel\(channels == 1 ? "" : "s") at \(rate) Hz, and 1 to 64 at 8000 to 384000 Hz can be "
                    + "played; convert it.")
        }
        begin(sample, channels: channels)
        return StreamFormat(sample.played, channelCount: channels, sampleRate: rate)
    }

    private func number(_ place: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    private func text(_ place: Int) -> String { String(decoding: bytes[place..<(place + 4)], as: UTF8.self) }

    /// Takes the next whole frames: none if nothing has come for a tenth of a second; `nil` at the end.
    ///
    /// - Throws: ``ToolFailure`` if it ended without any frame, or cannot be read.
    package func next() throws -> [UInt8]? {
        if bytes.count < bytesPerFrame, !isAtEnd { try wait() }
        let count = min(bytes.count, remaining) / bytesPerFrame * bytesPerFrame
        guard count > 0 else {
            guard isAtEnd || remaining < bytesPerFrame else { return [] }
            guard hasSound else {
                throw ToolFailure(
                    "The input ended before any sound came; look at the program or file that it comes from.")
            }
            return nil
        }
        hasSound = true
        defer { bytes.removeFirst(count) }
        remaining -= count
        return sample.converted(bytes[..<count])
    }

    /// The frames that came, and those that the head of the stream claims, if it ended before; `nil` otherwise.
    package var shortfall: (frames: Int, claimed: Int)? {
        guard isAtEnd, claimed > 0, remaining >= bytesPerFrame else { return nil }
        return ((claimed - remaining) / bytesPerFrame, claimed / bytesPerFrame)
    }

    /// Waits for bytes of the head.
    ///
    /// - Returns: false if the input ends before, or the tool is ending.
    private func wait(for count: Int, unless isEnding: () -> Bool) throws -> Bool {
        while bytes.count < count, !isAtEnd, !isEnding() { try wait() }
        return bytes.count >= count
    }

    private func skip(_ count: Int, unless isEnding: () -> Bool) throws {
        var left = count
        while left > 0, try wait(for: 1, unless: isEnding) {
            let part = min(left, bytes.count)
            bytes.removeFirst(part)
            left -= part
        }
    }

    /// Reads what comes within a tenth of a second.
    private func wait() throws {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&input, 1, 100) > 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 { bytes += buffer[..<count] }
        if count == 0 { isAtEnd = true }
        guard count < 0, errno != EINTR, errno != EAGAIN else { return }
        throw ToolFailure(
            "The input cannot be read (\(unsafe String(cString: strerror(errno)))); write a WAV file into it, as with \"< song.wav\"."
        )
    }
}
