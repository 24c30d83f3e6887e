// SPDX-License-Identifier: MIT

/// The form of application ids: reverse DNS, such as `org.example.app`, which D-Bus takes as a name too.
package enum AppID {
    package static let longest = 255

    package static func isValid(_ id: String) -> Bool {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        return id.utf8.count <= longest && parts.count >= 2
            && parts.allSatisfy { part in
                guard let first = part.utf8.first, !isDigit(first) else { return false }
                return part.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2D || $0 == 0x5F }
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
