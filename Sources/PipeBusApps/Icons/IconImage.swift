// SPDX-License-Identifier: MIT
import DesktopSupport

/// The picture of an icon: PNG, or SVG, which has any size.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct IconImage: Sendable, Hashable {
    /// The form of a picture, by its media type.
    public enum Format: String, Sendable, CaseIterable { case png = "image/png", svg = "image/svg+xml" }

    /// The largest picture, in bytes.
    static let largestFile = 1 << 20

    /// The form of ``bytes``.
    public let format: Format
    /// The file's bytes.
    public let bytes: [UInt8]

    /// - Returns: `nil` for bytes that are no such picture, and for SVG with entities: a few of them can make gigabytes of text. What
    ///   is wrong with a PNG is said by ``PNGImage/init(_:)``.
    public init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.largestFile else { return nil }
        if bytes.starts(with: PNGChunks.signature) {
            guard (try? PNGImage(bytes)) != nil else { return nil }
            format = .png
        } else {
            guard let text = String(validating: bytes, as: UTF8.self), text.contains("<svg"),
                !text.contains("<!ENTITY")
            else { return nil }
            format = .svg
        }
        self.bytes = bytes
    }

    /// A PNG as an icon.
    public init(_ picture: PNGImage) {
        format = .png
        bytes = picture.bytes
    }

    /// Reads the picture of a file, which any program may have made.
    init?(path: String) {
        guard let bytes = try? BoundedFile.bytes(at: path, upTo: Self.largestFile) else { return nil }
        self.init(bytes)
    }
}
