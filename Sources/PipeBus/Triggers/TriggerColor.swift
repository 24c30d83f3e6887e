// SPDX-License-Identifier: MIT

/// A colour of a trigger, in sRGB.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct TriggerColor: Sendable, Hashable, CustomStringConvertible {
    /// 0…255.
    public var red: UInt8
    /// 0…255.
    public var green: UInt8
    /// 0…255.
    public var blue: UInt8

    /// A colour by its components, each 0…255.
    public init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// - Parameter text: six hexadecimal digits after `#`, as in "#ff8000".
    /// - Returns: `nil` for any other text.
    public init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 7, digits[0] == UInt8(ascii: "#"),
            digits.dropFirst().allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }),
            let value = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
            blue: UInt8(truncatingIfNeeded: value))
    }

    /// The form of ``init(_:)``, in small letters.
    public var description: String {
        "#"
            + [red, green, blue].map { component in
                let digits = String(component, radix: 16)
                return digits.utf8.count == 1 ? "0\(digits)" : digits
            }.joined()
    }
}
