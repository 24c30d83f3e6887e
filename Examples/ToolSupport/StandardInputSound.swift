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
    /// Bytes of the sound that are still to come; of a stream without a length all that come.
    private var remaining = Int.max
    /// Bytes of sound that the head of a WAV stream claims; 0 if it does not.
    private var claimed = 0

    package init() {}

    /// Reads the head of a WAV stream, up to its sound.
    ///
    /// - Parameter isEnding: polled while nothing comes.
    /// - Returns: the form of the sound; `nil` if the tool is ending.
    /// - Throws: ``ToolFailure`` if it is no such stream.
    package func readHead(isEnding: () -> Bool) throws -> StreamFormat? {
        var place = 12
        var format: StreamFormat?
        while !isEnding() {
            guard bytes.count >= place + 8 || isAtEnd else {
                try wait()
                continue
            }
            guard bytes.count >= place + 8, text(0) == "RIFF" || text(0) == "RF64", text(8) == "WAVE", place < 1 << 20
            else {
                throw ToolFailure(
                    bytes.isEmpty
                        ? "The input ended before any sound came; write a WAV file into it, as with \"< song.wav\"."
                        : "The input is no WAV stream; send one, or give --rate, --channels and --sample for raw samples."
                )
            }
            let (name, length) = (text(place), number(place + 4, 4))
            if name == "data" {
                guard let format else { break }
                if WaveHead.isKnown(length: length) { (claimed, remaining) = (length, length) }
                bytes.removeFirst(place + 8)
                return format
            }
            guard bytes.count >= place + 8 + length || isAtEnd else {
                try wait()
                continue
            }
            if name == "fmt ", bytes.count >= place + 24 { format = try self.format(at: place + 8, length) }
            place += 8 + length + length % 2
        }
        if isEnding() { return nil }
        throw ToolFailure("The input is a WAV stream without a format; send another one.")
    }

    private func format(at place: Int, _ length: Int) throws -> StreamFormat {
        let (channels, rate, bits) = (number(place + 2, 2), number(place + 4, 4), number(place + 14, 2))
        // In an extensible format the kind is the beginning of a longer number.
        let isExtensible = number(place, 2) == 0xFFFE && length >= 26 && bytes.count >= place + 26
        let samples: StreamFormat.Sample? =
            switch (isExtensible ? number(place + 24, 2) : number(place, 2), bits) {
            case (1, 16): .int16
            case (1, 24): .int24
            case (1, 32): .int32
            case (3, 32): .float32
            default: nil
            }
        guard let samples else {
            throw ToolFailure(
                "The stream's samples have \(bits) bits in a form that cannot be played; send integers of 16, 24 or 32 bits, or floats of 32."
            )
        }
        guard (1...64).contains(channels), (8_000...384_000).contains(rate) else {
            throw ToolFailure(
                "The stream has \(channels) channels at \(rate) Hz, and 1 to 64 at 8000 to 384000 Hz can be played; convert it."
            )
        }
        return StreamFormat(samples, channelCount: channels, sampleRate: rate)
    }

    private func number(_ place: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    private func text(_ place: Int) -> String { String(decoding: bytes[place..<(place + 4)], as: UTF8.self) }

    /// Takes the next whole frames: none if nothing has come for a tenth of a second; `nil` at the end.
    ///
    /// - Throws: ``ToolFailure`` if it ended without any frame, or cannot be read.
    package func next(bytesPerFrame: Int) throws -> [UInt8]? {
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
        return Array(bytes[..<count])
    }

    /// The frames that came, and those that the head of the stream claims, if it ended before; `nil` otherwise.
    package func shortfall(bytesPerFrame: Int) -> (frames: Int, claimed: Int)? {
        guard isAtEnd, claimed > 0, remaining >= bytesPerFrame else { return nil }
        return ((claimed - remaining) / bytesPerFrame, claimed / bytesPerFrame)
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
