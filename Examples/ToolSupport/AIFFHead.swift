// SPDX-License-Identifier: MIT
import Glibc

/// The head of an AIFF or AIFF-C file (Apple, "Audio Interchange File Format AIFF-C", 1991), as far as it says how long the sound is.
///
/// Where a file ends before, libsndfile takes the shorter length and does not report it.
enum AIFFHead {
    /// The number of frames that a file claims; `nil` if it is no such file, or if its frames have no fixed size.
    static func claimedFrameCount(_ descriptor: Int32) -> Int? {
        guard let head = WaveHead.bytes(12, at: 0, of: descriptor), WaveHead.text(head) == "FORM" else { return nil }
        let isCompressed = WaveHead.text(head[8...]) == "AIFC"
        guard isCompressed || WaveHead.text(head[8...]) == "AIFF" else { return nil }
        var place = 12
        // A file may claim any number of chunks.
        for _ in 0..<256 {
            guard let chunk = WaveHead.bytes(8, at: place, of: descriptor) else { return nil }
            let length = number(chunk[4...])
            guard WaveHead.text(chunk) == "COMM" else {
                place += 8 + length + length % 2
                continue
            }
            guard let format = WaveHead.bytes(isCompressed ? 22 : 18, at: place + 8, of: descriptor) else { return nil }
            // "Compressed" are the plain formats of AIFF-C, too.
            let kinds = [
                "NONE", "sowt", "twos", "raw ", "in24", "in32", "fl32", "FL32", "fl64", "FL64", "ulaw", "alaw",
            ]
            guard !isCompressed || kinds.contains(WaveHead.text(format[18...])) else { return nil }
            return number(format[2...])
        }
        return nil
    }

    /// A big-endian number of four bytes.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
}
