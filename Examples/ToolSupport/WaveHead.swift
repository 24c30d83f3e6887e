// SPDX-License-Identifier: MIT
import Glibc

/// The head of a WAV or RF64 file (EBU Tech 3306), as far as it says how long the sound is.
///
/// Where a file ends before, libsndfile takes the shorter length and does not report it.
enum WaveHead {
    /// Whether the length of a WAV stream's sound means something. A program that does not know the length writes 0 or about the
    /// largest number, with or without a sign.
    static func isKnown(length: Int) -> Bool {
        length > 0 && length < 0xFFFF_F000 && !(0x7FFF_F000...0x7FFF_FFFF).contains(length)
    }

    /// The number of frames that a file claims; `nil` if it is no such file, or does not know, or if its frames have no fixed size.
    static func claimedFrameCount(_ descriptor: Int32) -> Int? {
        guard let head = bytes(12, at: 0, of: descriptor), text(head[8...]) == "WAVE" else { return nil }
        guard text(head) == "RIFF" || text(head) == "RF64" else { return nil }
        var (place, longLength, frameSize) = (12, 0, 0)
        // A file may claim any number of chunks.
        for _ in 0..<256 {
            guard let chunk = bytes(8, at: place, of: descriptor) else { return nil }
            let length = number(chunk[4...], 4)
            switch text(chunk) {
            case "ds64":
                guard let lengths = bytes(16, at: place + 8, of: descriptor) else { return nil }
                longLength = number(lengths[8...], 8)
            case "fmt ":
                guard let format = bytes(16, at: place + 8, of: descriptor) else { return nil }
                // Integers, floats, A-law and µ-law, and any of them in an extensible format.
                guard [1, 3, 6, 7, 0xFFFE].contains(number(format, 2)) else { return nil }
                frameSize = number(format[12...], 2)
            case "data":
                guard frameSize > 0 else { return nil }
                if text(head) == "RF64", length == 0xFFFF_FFFF { return longLength > 0 ? longLength / frameSize : nil }
                return isKnown(length: length) ? length / frameSize : nil
            default: break
            }
            place += 8 + length + length % 2
        }
        return nil
    }

    static func bytes(_ count: Int, at place: Int, of descriptor: Int32) -> ArraySlice<UInt8>? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe pread(descriptor, &bytes, count, off_t(place)) == count ? bytes[...] : nil
    }

    static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes.prefix(4), as: UTF8.self) }

    /// A little-endian number; of eight bytes the lower 63 bits.
    private static func number(_ bytes: ArraySlice<UInt8>, _ count: Int) -> Int {
        bytes.prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) } & .max
    }
}
