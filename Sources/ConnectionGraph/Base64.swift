// SPDX-License-Identifier: MIT

/// Bytes as text, RFC 4648 §4. It is here because the core does without Foundation.
package enum Base64 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    /// The value of each letter, or 0xFF.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// The length of the text of some bytes.
    package static func length(ofBytes count: Int) -> Int { (count + 2) / 3 * 4 }

    package static func text(_ bytes: [UInt8]) -> String {
        let length = length(ofBytes: bytes.count)
        return unsafe String(unsafeUninitializedCapacity: length) { text in
            var place = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let count = min(3, bytes.count - start)
                var word = UInt32(bytes[start]) << 16
                if count > 1 { word |= UInt32(bytes[start + 1]) << 8 }
                if count > 2 { word |= UInt32(bytes[start + 2]) }
                for digit in 0..<4 {
                    let letter = letters[Int(word >> UInt32(18 - 6 * digit) & 0x3F)]
                    unsafe text[place] = digit <= count ? letter : padding
                    place += 1
                }
            }
            return place
        }
    }

    /// - Returns: `nil` for text in any other form: other letters, spaces, a wrong length, or bits that no byte has.
    package static func bytes(_ text: String) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3)
        for start in stride(from: 0, to: letters.count, by: 4) {
            let isLast = start + 4 == letters.count
            let padded = isLast ? (letters[start + 3] == padding ? (letters[start + 2] == padding ? 2 : 1) : 0) : 0
            var word: UInt32 = 0
            for digit in 0..<(4 - padded) {
                let value = values[Int(letters[start + digit])]
                guard value != 0xFF else { return nil }
                word |= UInt32(value) << UInt32(18 - 6 * digit)
            }
            bytes.append(UInt8(truncatingIfNeeded: word >> 16))
            if padded < 2 { bytes.append(UInt8(truncatingIfNeeded: word >> 8)) }
            if padded < 1 { bytes.append(UInt8(truncatingIfNeeded: word)) }
            let rest: UInt32 = padded == 2 ? 0xFFFF : padded == 1 ? 0xFF : 0
            guard word & rest == 0 else { return nil }
        }
        return bytes
    }
}
