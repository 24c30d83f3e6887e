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
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe letters.withUnsafeBufferPointer { letters in
                unsafe String(unsafeUninitializedCapacity: length(ofBytes: bytes.count)) { text in
                    unsafe write(bytes, with: letters, into: text)
                }
            }
        }
    }

    /// - Returns: the length of the text.
    private static func write(
        _ bytes: UnsafeBufferPointer<UInt8>, with letters: UnsafeBufferPointer<UInt8>,
        into text: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var (start, place) = (0, 0)
        while start < bytes.count {
            let count = min(3, bytes.count - start)
            var word = unsafe UInt32(bytes[start]) << 16
            if count > 1 { word |= unsafe UInt32(bytes[start + 1]) << 8 }
            if count > 2 { word |= unsafe UInt32(bytes[start + 2]) }
            unsafe text[place] = unsafe letters[Int(word >> 18)]
            unsafe text[place + 1] = unsafe letters[Int(word >> 12 & 0x3F)]
            unsafe text[place + 2] = unsafe count > 1 ? letters[Int(word >> 6 & 0x3F)] : padding
            unsafe text[place + 3] = unsafe count > 2 ? letters[Int(word & 0x3F)] : padding
            start += 3
            place += 4
        }
        return place
    }

    /// - Returns: `nil` for text in any other form: other letters, spaces, a wrong length, or bits that no byte has.
    package static func bytes(_ text: String) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count.isMultiple(of: 4) else { return nil }
        var isValid = true
        let bytes = unsafe letters.withUnsafeBufferPointer { letters in
            unsafe values.withUnsafeBufferPointer { values in
                unsafe [UInt8](unsafeUninitializedCapacity: letters.count / 4 * 3) { bytes, count in
                    isValid = unsafe read(letters, with: values, into: bytes, &count)
                }
            }
        }
        return isValid ? bytes : nil
    }

    /// - Parameter count: gets the number of bytes.
    /// - Returns: whether the text is valid.
    private static func read(
        _ letters: UnsafeBufferPointer<UInt8>, with values: UnsafeBufferPointer<UInt8>,
        into bytes: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
    ) -> Bool {
        var start = 0
        while start < letters.count {
            let isLast = start + 4 == letters.count
            let padded =
                unsafe isLast ? (letters[start + 3] == padding ? (letters[start + 2] == padding ? 2 : 1) : 0) : 0
            var word: UInt32 = 0
            var digit = 0
            while digit < 4 - padded {
                let value = unsafe values[Int(letters[start + digit])]
                guard value != 0xFF else { return false }
                word |= UInt32(value) << UInt32(18 - 6 * digit)
                digit += 1
            }
            unsafe bytes[count] = UInt8(truncatingIfNeeded: word >> 16)
            if padded < 2 { unsafe bytes[count + 1] = UInt8(truncatingIfNeeded: word >> 8) }
            if padded < 1 { unsafe bytes[count + 2] = UInt8(truncatingIfNeeded: word) }
            count += 3 - padded
            let rest: UInt32 = padded == 2 ? 0xFFFF : padded == 1 ? 0xFF : 0
            guard word & rest == 0 else { return false }
            start += 4
        }
        return true
    }
}
