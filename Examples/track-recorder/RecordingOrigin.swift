// SPDX-License-Identifier: MIT
import Glibc
import ToolSupport

/// When a recording's first frame was made. All its files begin with that frame, so an editor aligns them.
struct RecordingOrigin {
    /// Since the beginning of 1970 (UTC).
    private let start: Duration
    private let sampleRate: Int

    /// - Parameters:
    ///   - start: the place of the recording's first frame.
    ///   - block: any block of it.
    ///   - sampleRate: in hertz.
    init(start: Int64, _ block: CapturedBlock, sampleRate: Int) {
        self.sampleRate = sampleRate
        let distance = Track.distance(from: start, to: block.position)
        let age =
            Self.now(CLOCK_MONOTONIC) - .nanoseconds(Int64(clamping: block.nanoseconds))
            + .seconds(Double(distance) / Double(max(sampleRate, 1)))
        // A clock may say anything; a year has four digits.
        self.start = min(max(Self.now(CLOCK_REALTIME) - age, .zero), .seconds(Int64(1) << 37))
    }

    /// - Parameter title: of the source.
    func of(_ title: String) -> SoundOrigin {
        SoundOrigin(title: title, originator: "track-recorder", start: start, sampleRate: sampleRate)
    }

    private static func now(_ clock: clockid_t) -> Duration {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
