// SPDX-License-Identifier: MIT
import CPNG

@testable import PipeBusApps

/// A picture that an app publishes: as it is, and with checksums that fit, so that damage comes further than to these.
func fuzzPNG(_ input: Input) {
    let bytes = input.rest
    for bytes in [bytes, withRightSums(bytes)] {
        do {
            let picture = try PNGImage(bytes)
            check(
                PNGImage.sides.contains(picture.width) && PNGImage.sides.contains(picture.height),
                "a size out of bounds")
            check(picture.bytes == bytes, "other bytes")
            check(IconImage(bytes) != nil, "a picture that is no icon")
        } catch {
            let text = "\(error)"
            checkShowable(text, atMost: 300, "a reason")
            check(text.hasSuffix("."), "a reason that is no sentence")
        }
    }
}

private func withRightSums(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    var position = PNGChunks.signature.count
    while bytes.count - position >= 12 {
        let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - position - 12 else { break }
        let sum = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe crc32(0, buffer.baseAddress! + position + 4, uInt(length + 4))
        }
        for place in 0..<4 {
            result[position + 8 + length + place] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt(place)))
        }
        position += length + 12
    }
    return result
}
