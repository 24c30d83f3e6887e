// SPDX-License-Identifier: MIT

/// Corrects the header of an AIFF file with an odd number of bytes of sound. libsndfile 1.2 counts the byte that pads it, as one more
/// frame of an 8-bit mono file.
enum AIFFPadding {
    /// - Parameters:
    ///   - sink: a file that libsndfile has finished.
    ///   - byteCount: of the sound.
    /// - Throws: ``SoundError``.
    static func correct(_ sink: SoundSink, frameCount: Int, byteCount: Int) throws {
        guard !byteCount.isMultiple(of: 2) else { return }
        var place = 12
        // Some chunks come before the two that say the length.
        for _ in 0..<1_000 {
            let head = try sink.bytes(8, at: place)
            guard head.count == 8 else { return }
            let size = head[4...].reduce(0) { $0 << 8 | Int($1) }
            switch String(decoding: head[..<4], as: UTF8.self) {
            case "COMM": try sink.put(bigEndian(frameCount), at: place + 10)
            case "SSND":
                // It begins with an offset and a size of blocks, of 4 bytes each.
                return try sink.put(bigEndian(byteCount + 8), at: place + 4)
            default: break
            }
            place += 8 + size + size % 2
        }
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
