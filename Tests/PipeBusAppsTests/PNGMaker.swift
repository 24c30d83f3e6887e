// SPDX-License-Identifier: MIT
import CPNG

/// Makes PNG files, good ones and bad ones, by the PNG Specification.
struct PNGMaker {
    var width: Int
    var height: Int
    var bitDepth: UInt8 = 8
    /// 0: grey, 2: RGB, 3: with a palette, 4: grey with alpha, 6: RGB with alpha.
    var colourType: UInt8 = 6
    var isInterlaced = false

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    static func chunk(_ name: String, _ data: [UInt8] = [], sum: UInt? = nil) -> [UInt8] {
        let body = Array(name.utf8) + data
        let right = unsafe crc32(0, body, uInt(body.count))
        return number(data.count) + body + number(Int(sum ?? right))
    }

    static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(uLong(bytes.count))
        var result = [UInt8](repeating: 0, count: Int(count))
        precondition(unsafe compress2(&result, &count, bytes, uLong(bytes.count), 6) == Z_OK)
        return Array(result[..<Int(count)])
    }

    var header: [UInt8] {
        Self.chunk(
            "IHDR",
            Self.number(width) + Self.number(height) + [bitDepth, colourType, 0, 0, isInterlaced ? 1 : 0])
    }

    /// The rows of all passes, each with the filter 0, and with these bytes.
    func pixels(_ byte: () -> UInt8) -> [UInt8] {
        let samples: [UInt8: Int] = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4]
        let bits = Int(bitDepth) * samples[colourType]!
        // Where each pass of Adam7 begins, and its steps.
        let passes =
            isInterlaced
            ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
            : [(0, 0, 1, 1)]
        return passes.flatMap { x, y, stepX, stepY -> [UInt8] in
            let columns = (width - x + stepX - 1) / stepX
            let rows = (height - y + stepY - 1) / stepY
            guard columns > 0, rows > 0 else { return [] }
            return (0..<rows).flatMap { _ in [0] + (0..<(columns * bits + 7) / 8).map { _ in byte() } }
        }
    }

    var palette: [UInt8] { colourType == 3 ? Self.chunk("PLTE", [UInt8](repeating: 7, count: 3 << bitDepth)) : [] }

    func file(_ byte: () -> UInt8 = { 0x55 }) -> [UInt8] { file(data: Self.compressed(pixels(byte))) }

    /// A file with other data of pixels.
    func file(data: [UInt8], before: [UInt8] = []) -> [UInt8] {
        Self.signature + header + before + palette + Self.chunk("IDAT", data) + Self.chunk("IEND")
    }
}
