// SPDX-License-Identifier: MIT
import CPNG
import PipeBus

/// The chunks of a PNG file, by the PNG Specification. libpng looks at no more of them than it needs for the pixels.
enum PNGChunks {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Looks at all chunks: their order, lengths and checksums, and that nothing comes after the last one.
    ///
    /// - Returns: the size that the header says, in pixels.
    /// - Throws: ``PipeBusError`` `invalidArgument`.
    static func check(_ bytes: [UInt8]) throws -> (width: Int, height: Int) {
        guard bytes.starts(with: signature) else {
            throw PipeBusError(
                .invalidArgument, "The picture is no PNG: it does not begin as one. Save it in that format.")
        }
        var size: (width: Int, height: Int)?
        var hasPixels = false
        var position = signature.count
        while position < bytes.count {
            let chunk = try chunk(of: bytes, at: position)
            position = chunk.end
            if size == nil {
                guard chunk.name == "IHDR", chunk.length == 13 else { throw damage("it has no header") }
                size = try Self.size(of: bytes, at: chunk.data)
                continue
            }
            switch chunk.name {
            case "IDAT": hasPixels = true
            case "IHDR": throw damage("it has two headers")
            case "IEND":
                guard chunk.length == 0, hasPixels, let size else { throw damage("it has no pixels") }
                guard position == bytes.count else {
                    throw damage("there are \(bytes.count - position) bytes after its end")
                }
                return size
            default: break
            }
        }
        throw damage("it is cut off")
    }

    private struct Chunk {
        var name: String
        var length: Int
        /// Where its data begins, and where the next chunk does.
        var data: Int
        var end: Int
    }

    private static func chunk(of bytes: [UInt8], at position: Int) throws -> Chunk {
        // A length and a name come before the data, and a checksum after it.
        guard bytes.count - position >= 12 else { throw damage("it is cut off") }
        let letters = bytes[position + 4..<position + 8]
        guard letters.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) else {
            throw damage("a chunk of it has no name")
        }
        let length = number(in: bytes, at: position)
        guard length <= bytes.count - position - 12 else { throw damage("it is cut off") }
        let name = String(decoding: letters, as: UTF8.self)
        let data = position + 8
        let sum = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe crc32(0, buffer.baseAddress! + position + 4, uInt(length + 4))
        }
        guard sum == UInt(number(in: bytes, at: data + length)) else {
            throw damage("the checksum of its chunk \(name) is wrong")
        }
        return Chunk(name: name, length: length, data: data, end: data + length + 4)
    }

    private static func size(of bytes: [UInt8], at position: Int) throws -> (width: Int, height: Int) {
        let size = (width: number(in: bytes, at: position), height: number(in: bytes, at: position + 4))
        guard PNGImage.sides.contains(size.width), PNGImage.sides.contains(size.height) else {
            throw PipeBusError(
                .invalidArgument,
                "The PNG says that it is \(size.width) × \(size.height) pixels large; 1 to \(PNGImage.sides.upperBound) each are allowed. "
                    + "Make it 136 × 136.")
        }
        return size
    }

    /// Four bytes, the highest first.
    private static func number(in bytes: [UInt8], at position: Int) -> Int {
        bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    static func damage(_ what: String) -> PipeBusError {
        PipeBusError(.invalidArgument, "The PNG is damaged: \(what). Save it again.")
    }
}
