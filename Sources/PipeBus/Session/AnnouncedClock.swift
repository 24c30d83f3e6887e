// SPDX-License-Identifier: MIT
import PipeWireClient

/// The daemon's settings of the graph's clock: its metadata object "settings". Pure.
///
/// The rules are those by which the daemon chooses the rate and the quantum of a driver when no node asks for others
/// (PipeWire, src/pipewire/context.c).
struct AnnouncedClock: Sendable {
    /// The name of the metadata object.
    static let objectName = "settings"
    /// Numbers that a daemon can use: frames of a cycle, or hertz.
    private static let numbers = 1...10_000_000

    private var values: [String: Int] = [:]

    /// Takes over a property of the object.
    ///
    /// - Returns: whether that is a change.
    mutating func received(_ property: BoundMetadata.Property) -> Bool {
        guard let key = property.key else {
            defer { values = [:] }
            return !values.isEmpty
        }
        guard key.hasPrefix("clock.") else { return false }
        let old = values[key]
        // 0 means that nothing is set.
        values[key] = property.value.flatMap { Int($0) }.flatMap { Self.numbers.contains($0) ? $0 : nil }
        return values[key] != old
    }

    /// The size of cycles; `nil` if the settings do not say.
    ///
    /// - Parameter daemon: the daemon's version; `nil` if it is not known.
    func cycle(of daemon: LibraryVersion?) -> CycleSize? {
        guard let rate = values["clock.force-rate"] ?? values["clock.rate"] else { return nil }
        let quantum: Int
        if let forced = values["clock.force-quantum"] {
            guard let daemon, daemon < .forcesAnyQuantum else { return CycleSize(frameCount: forced, sampleRate: rate) }
            quantum = forced
        } else {
            guard let usual = values["clock.quantum"] else { return nil }
            // The settings are for the usual rate.
            let usualRate = values["clock.rate"] ?? rate
            func scaled(_ frames: Int) -> Int { frames * rate / usualRate }
            let least = values["clock.min-quantum"].map(scaled) ?? 1
            let most = values["clock.max-quantum"].map(scaled) ?? .max
            // A rate that is far above the usual one gives numbers that no daemon can use.
            quantum = min(max(scaled(usual), least), most, Self.numbers.upperBound)
        }
        return CycleSize(frameCount: Self.powerOfTwo(notAbove: max(quantum, 1)), sampleRate: rate)
    }

    private static func powerOfTwo(notAbove number: Int) -> Int {
        1 << (Int.bitWidth - 1 - number.leadingZeroBitCount)
    }
}
