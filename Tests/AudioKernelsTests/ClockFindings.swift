// SPDX-License-Identifier: MIT

/// How well clocks were matched in a ``ClockSimulation``, against the truth.
struct ClockFindings {
    /// Virtual time, in seconds.
    private let start: Double
    /// Seconds from the start to the last moment without a lock.
    private(set) var lockTime = 0.0
    /// Number of times that a lock was lost.
    private(set) var losses = 0
    /// Number of changes of the ring position.
    var moves = 0
    /// Number of blocks, or cycles, for which too little was in the ring.
    var underruns = 0
    /// The largest error of the delay while locked, in seconds.
    private(set) var delay = 0.0
    /// The largest deviation of the ratio from the true one, in parts per million.
    private(set) var pitch = 0.0
    /// The largest change of that from a block to the next.
    private(set) var step = 0.0

    private var wasLocked = false
    private var lastPitch: Double?

    init(start: Double) { self.start = start }

    mutating func note(_ time: Double, isLocked: Bool, delay: Double, pitch: Double) {
        let pitch = pitch * 1e6
        if let lastPitch { step = max(step, abs(pitch - lastPitch)) }
        lastPitch = pitch
        self.pitch = max(self.pitch, abs(pitch))
        if wasLocked, !isLocked { losses += 1 }
        wasLocked = isLocked
        if isLocked { self.delay = max(self.delay, abs(delay)) } else { lockTime = time - start }
    }
}
