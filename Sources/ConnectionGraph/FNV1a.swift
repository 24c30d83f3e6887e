// SPDX-License-Identifier: MIT

/// The 64-bit hash of Fowler, Noll and Vo, variant 1a.
package struct FNV1a {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    package mutating func add(_ number: UInt64) { add((0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }) }

    package mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        add(text.utf8)
    }
}
