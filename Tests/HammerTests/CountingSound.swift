// SPDX-License-Identifier: MIT
import Glibc
import RealtimeKit

/// A sound in which each sample says at which place it is: 1, 2, 3 and so on, and again from 1. Read by all threads, and written by
/// none. C compares it, because Swift under ThreadSanitizer is slow.
@safe final class CountingSound: @unchecked Sendable {
    // @unchecked: nothing is written once it is made.
    /// Number of frames after which it begins again.
    static let period = 1 << 16
    private static let longestBlock = 8192
    /// By how much a channel is ahead of the one before.
    private static let channelDistance = 1000

    private let table: OwnedCells<Float>

    init() {
        table = OwnedCells(repeating: 0, count: Self.period + Self.longestBlock)
        for place in 0..<table.count { table.cells[place] = Float(place % Self.period + 1) }
    }

    /// The samples from a place on, up to 8192.
    func samples(from place: Int, channel: Int) -> UnsafePointer<Float> {
        let index = (place + channel * Self.channelDistance) % Self.period
        return unsafe UnsafePointer(table.cells.pointer(at: index))
    }

    /// The place of a sample of the first channel.
    static func place(of sample: Float) -> Int { Int(sample) - 1 }

    /// Whether samples are those from a place on.
    func isEqual(_ samples: UnsafePointer<Float>, count: Int, from place: Int, channel: Int) -> Bool {
        unsafe memcmp(samples, self.samples(from: place, channel: channel), 4 * count) == 0
    }

    /// Whether each sample is that of its place, or silent.
    func isEqualOrSilent(_ samples: UnsafePointer<Float>, count: Int, from place: Int, channel: Int) -> Bool {
        if unsafe isEqual(samples, count: count, from: place, channel: channel) { return true }
        for index in 0..<count where unsafe samples[index] != 0 {
            guard place + index >= 0,
                unsafe samples[index] == self.samples(from: place + index, channel: channel).pointee
            else { return false }
        }
        return true
    }
}
