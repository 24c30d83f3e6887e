// SPDX-License-Identifier: MIT

/// How much sound is kept in memory for tracks without a file, of all tracks together.
///
/// - Thread: the writer's.
final class HoldingRoom {
    /// In samples.
    let capacity: Int
    private(set) var used = 0

    /// 256 MB: eleven minutes of stereo at 48 kHz.
    static let standardCapacity = 1 << 26

    init(capacity: Int = standardCapacity) { self.capacity = capacity }

    /// - Returns: whether there is room for so many samples more; then it is taken.
    func take(_ samples: Int) -> Bool {
        guard used + samples <= capacity else { return false }
        used += samples
        return true
    }

    /// Takes room for what is in memory already.
    func force(_ samples: Int) { used += samples }

    func give(back samples: Int) { used -= samples }
}
