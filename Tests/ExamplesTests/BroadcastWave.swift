// SPDX-License-Identifier: MIT
import Foundation

/// The `bext` chunk of a WAV file, read by hand as EBU Tech 3285 has it.
struct BroadcastWave {
    var description: String
    var originator: String
    var date: String
    var time: String
    /// Number of frames since midnight.
    var timeReference: Int

    init?(_ path: String) throws {
        guard let chunk = try WaveFile.chunk("bext", in: path), chunk.count >= 602 else { return nil }
        let bytes = [UInt8](chunk)
        func text(_ place: Int, _ size: Int) -> String {
            String(decoding: bytes[place..<place + size].prefix { $0 != 0 }, as: UTF8.self)
        }
        description = text(0, 256)
        originator = text(256, 32)
        date = text(320, 10)
        time = text(330, 8)
        timeReference = (0..<8).reduce(0) { $0 | Int(bytes[338 + $1]) << (8 * $1) }
    }
}
