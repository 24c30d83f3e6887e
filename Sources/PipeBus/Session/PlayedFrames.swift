// SPDX-License-Identifier: MIT

/// The number of frames that each port has processed, by its place.
///
/// The audio thread counts on while somebody looks: what is compared are counts that were read once.
struct PlayedFrames {
    private var counts: [Int: UInt64] = [:]

    /// Takes the present counts.
    ///
    /// - Returns: the progress of each port since the last call: 0 for a new port, and for one whose node was made again and counts from 0.
    mutating func advance(to present: [Int: UInt64]) -> [Int: UInt64] {
        defer { counts = present }
        return Dictionary(
            uniqueKeysWithValues: present.map { place, count in (place, count - min(counts[place] ?? count, count)) })
    }
}
