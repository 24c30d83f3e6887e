// SPDX-License-Identifier: MIT
import Foundation

/// The picture of an icon, from a file that is installed here.
struct IconImage: Sendable, Equatable {
    enum Format: String { case png = "image/png", svg = "image/svg+xml" }

    /// The largest file that is put into a picture, in bytes.
    static let largestFile = 1 << 18

    let format: Format
    private let bytes: [UInt8]

    /// - Returns: `nil` for bytes that are no such picture, and for SVG with entities: a few of them can make gigabytes of text.
    init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.largestFile else { return nil }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            format = .png
        } else {
            guard let text = String(validating: bytes, as: UTF8.self), text.contains("<svg"),
                !text.contains("<!ENTITY")
            else { return nil }
            format = .svg
        }
        self.bytes = bytes
    }

    /// The picture as an address that holds all of it.
    var address: String { "data:\(format.rawValue);base64,\(Data(bytes).base64EncodedString())" }
}
