// SPDX-License-Identifier: MIT
import AudioKernels

/// What a ``ClockSimulation`` simulates.
struct ClockScene {
    var direction = ClockMatcher.Direction.reading
    var graphRate = 48_000.0
    var appRate = 48_000.0
    var quantum = 1024
    var block = 1024
    /// The app's clock over its nominal rate, in parts per million of it.
    var offset = 0.0
    /// Change of that in each second, up or down, within ±500.
    var drift = 0.0
    /// The graph's clock over its nominal rate, in parts per million of it.
    var graphOffset = 40.0
    /// Seconds by which a call of the app is early or late at most.
    var jitter = 0.001
    /// Mean seconds by which the graph's thread wakes late.
    var wakeUp = 0.000_05
    /// Whether the app is held up for 5 to 50 ms, every 10 s on average.
    var hasStalls = true
}
