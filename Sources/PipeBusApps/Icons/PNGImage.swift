// SPDX-License-Identifier: MIT
import CPNG
import PipeBus

/// A picture in PNG that has been decoded once, so that it is what it says: whole, of a bounded size, and without anything behind its end.
///
/// ```swift
/// let picture = try PNGImage(bytesOfTheFile)
/// print(picture.width, picture.height)
/// ```
///
/// - Thread: any but the audio thread. A value.
/// - Realtime: unsafe.
public struct PNGImage: Sendable, Hashable {
    /// In pixels: 1…2048.
    public let width: Int
    /// In pixels: 1…2048.
    public let height: Int
    /// The file's bytes: at most 4 MiB.
    public let bytes: [UInt8]

    /// The largest file, in bytes.
    static let largestFile = 4 << 20
    /// The widths and heights that are taken. Pixels of the largest picture have 16 MiB.
    static let sides = 1...2048

    /// Takes the bytes of a PNG file, after a look at all of them. The largest picture takes about a tenth of a second.
    ///
    /// - Throws: ``PipeBusError`` `invalidArgument`, whose sentence says what is wrong with the picture.
    public init(_ bytes: [UInt8]) throws {
        guard bytes.count <= Self.largestFile else {
            throw PipeBusError(
                .invalidArgument,
                "The picture has \(bytes.count) bytes; at most \(Self.largestFile) (4 MiB) are allowed. Make it smaller."
            )
        }
        let size = try PNGChunks.check(bytes)
        try Self.decode(bytes, size)
        (width, height) = size
        self.bytes = bytes
    }

    /// Decodes the pixels, and throws them away.
    private static func decode(_ bytes: [UInt8], _ size: (width: Int, height: Int)) throws {
        var image = unsafe png_image()
        unsafe image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { unsafe png_image_free(&image) }
        let isDecoded = unsafe bytes.withUnsafeBytes { buffer in
            guard unsafe png_image_begin_read_from_memory(&image, buffer.baseAddress, buffer.count) != 0,
                unsafe (Int(image.width), Int(image.height)) == size
            else { return false }
            unsafe image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)
            var pixels = [UInt8](repeating: 0, count: size.width * size.height * 4)
            return unsafe png_image_finish_read(&image, nil, &pixels, 0, nil) != 0
        }
        let message = unsafe withUnsafeBytes(of: &image.message) { text in
            unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
        // libpng calls these a warning, and passes over the rest of the data.
        let isOverfull = message.contains("Too much image data") || message.contains("Extra compressed data")
        guard isDecoded, !isOverfull else {
            let reason = message.isEmpty ? "no reason was given" : message
            throw PNGChunks.damage("its pixels cannot be decoded (\(reason))")
        }
    }
}
