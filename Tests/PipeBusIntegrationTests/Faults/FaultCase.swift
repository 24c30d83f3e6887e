// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTesting

/// A fault that an app with everything survives, and what it must see of it.
struct FaultCase: Sendable {
    /// The moments of a fault, by CLOCK_MONOTONIC in nanoseconds.
    struct Moments: Sendable {
        /// Sound that began before this is from before the fault.
        var struck: UInt64
        /// The end of the fault; of a daemon, the appearance of its socket.
        var ended: UInt64
        /// For the table, instead of the time from the end until sound is back.
        var back: String?
    }

    var name: String
    /// How often it is done, each time after everything is back. Many times show a leak that one time does not.
    var rounds = 1
    /// Does it and undoes it.
    var perform: @Sendable (FaultScene) async throws -> Moments
    /// The app's states and notices, in order.
    var sees: [String]
    /// Other states and notices that it may see, on a busy machine or on one version.
    var maySee: Set<String> = []
    /// The sources that are surely silent for more than a cycle.
    var interrupted = [FaultScene.steadyTag, FaultScene.voiceTag]
    /// The least of a silence, in milliseconds: the fault has happened.
    var leastSilence = 0.0
    /// Frames that may be missing without a mark: a source may be late in libpipewire's own code, which only very short
    /// cycles show.
    var mostUnmarked: UInt64 = 0
    /// The least number of frames that the app's blocks must be told of as missed.
    var leastMissedFrames: UInt64 = 0
    /// The least number of changes of the clock.
    var leastClocks: UInt64 = 0
}
