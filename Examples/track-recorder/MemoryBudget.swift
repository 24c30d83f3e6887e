// SPDX-License-Identifier: MIT

/// The limit of the sound that is kept in memory for tracks without a file, for all tracks together.
///
/// - Thread: the writer's.
final class MemoryBudget {
    /// The number of samples.
    let capacity: Int
    private(set) var used = 0

    /// 256 MB: eleven minutes of stereo at 48 kHz.
    static let standardCapacity = 1 << 26

    init(capacity: Int = standardCapacity) { self.capacity = capacity }

    /// - Returns: whether there is room for that many more samples. Then it is reserved.
    func reserve(_ samples: Int) -> Bool {
        guard used + samples <= capacity else { return false }
        used += samples
        return true
    }

    /// Reserves room for sound that is in memory already.
    func reserveUnconditionally(_ samples: Int) { used += samples }

    func release(_ samples: Int) { used -= samples }
}
