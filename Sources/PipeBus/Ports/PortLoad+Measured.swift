// SPDX-License-Identifier: MIT
import CRealtime

extension crt_load_values {
    /// The time for which the present call of the callback has been running, in nanoseconds; `nil` while none runs.
    func running(at now: MonotonicTime) -> UInt64? {
        guard begun > ended else { return nil }
        return now.nanoseconds > begun ? now.nanoseconds - begun : 0
    }
}

extension PortLoad {
    /// The time after the last call, in nanoseconds, from which a port has no load.
    private static let memory: UInt64 = 2_000_000_000

    /// The load at a moment. A call that runs for longer than its cycle counts with the time so far: it may not return.
    init(_ measured: crt_load_values, at now: MonotonicTime) {
        var load = PortLoad(mean: measured.mean, maximum: measured.peak)
        if let running = measured.running(at: now), measured.period > 0 {
            let share = Float(running) * 1e-9 / measured.period
            if share > 1 {
                let mean = load.mean + min(measured.period, 1) * (share - load.mean)
                load = PortLoad(mean: max(load.mean, mean), maximum: max(load.maximum, share))
            }
        } else if now.nanoseconds > measured.ended, now.nanoseconds - measured.ended > Self.memory {
            load = PortLoad(mean: 0, maximum: 0)
        }
        self = load
    }
}
