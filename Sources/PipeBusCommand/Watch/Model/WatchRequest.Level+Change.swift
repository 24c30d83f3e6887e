// SPDX-License-Identifier: MIT
import PipeBus

extension WatchRequest.Level {
    /// The softest volume that a step leads to, in decibels. Below it is silence, and a step up from there leads to it.
    static let softest = -60.0

    /// What it does to a level.
    func change(of level: Source.Level) -> LevelChange {
        switch self {
        case .volumeStep(let step):
            let present = level.volume > 0 ? level.volumeInDecibels : step > 0 ? Self.softest - step : -.infinity
            // To whole numbers of steps, so that 0 dB is one of them.
            let wanted = (present + step).isFinite ? (present + step).rounded() : present
            return wanted < Self.softest ? .volume(0) : .volume(decibels: min(wanted, 0))
        case .fullVolume: return .volume(1)
        case .panStep(let step): return .pan(((level.pan * 100 + step) / 10).rounded() / 10)
        case .toggleMute: return .muted(!level.isMuted)
        case .toggleSolo: return .soloed(!level.isSoloed)
        }
    }

    /// Both as one; `nil` if they are not of one kind.
    func adding(_ other: Self) -> Self? {
        switch (self, other) {
        case (.volumeStep(let one), .volumeStep(let other)): .volumeStep(one + other)
        case (.panStep(let one), .panStep(let other)): .panStep(one + other)
        default: nil
        }
    }

    /// What has become of it.
    func words(for level: Source.Level) -> String {
        switch self {
        case .volumeStep, .fullVolume: "volume \(DiagramText.volume(level))"
        case .panStep: "pan \(DiagramText.pan(level))"
        case .toggleMute: "mute \(level.isMuted ? "on" : "off")"
        case .toggleSolo: "solo \(level.isSoloed ? "on" : "off")"
        }
    }
}
