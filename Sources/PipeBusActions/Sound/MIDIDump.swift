// SPDX-License-Identifier: MIT

/// The blocks of a MIDI sample dump (MIDI 1.0 Detailed Specification, "Sample Dump Standard").
///
/// libsndfile 1.2 looks at them too late: where one is missing or damaged it repeats the samples of the one before, and prints
/// two lines to the standard output.
enum MIDIDump {
    private static let headSize = 21
    private static let blockSize = 127

    /// Throws if the file is such a dump and lacks blocks for the length that it claims.
    ///
    /// - Throws: ``SoundError``.
    static func check(_ source: SoundSource) throws {
        var head = try source.bytes(headSize, at: 0)
        guard head.count > 3, head[0] == 0xF0, head[1] == 0x7E, head[3] == 1 else { return }
        // One that is cut off has no block, either.
        head += [UInt8](repeating: 0, count: headSize - head.count)
        // Three bytes of 7 bits.
        let frameCount = Int(head[10] & 0x7F) | Int(head[11] & 0x7F) << 7 | Int(head[12] & 0x7F) << 14
        let framesOfBlock = head[6] < 14 ? 60 : head[6] < 21 ? 40 : 30
        // The first block is read in any case, a last one that is not full never.
        let needed = max(frameCount / framesOfBlock, 1)
        var place = headSize
        for number in 0..<needed {
            let block = try source.bytes(blockSize, at: place)
            guard block.count == blockSize, block[0] == 0xF0, block[1] == 0x7E else {
                throw SoundError(
                    .unknownFormat,
                    "\(source.name) is a damaged MIDI sample dump: block \(number + 1) of \(needed) is missing; use another copy of it."
                )
            }
            place += blockSize
        }
    }
}
