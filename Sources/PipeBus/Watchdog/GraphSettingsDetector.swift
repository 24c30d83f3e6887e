// SPDX-License-Identifier: MIT
import PipeWireClient

/// Detects changes of the graph's driver, rate and cycle length from polled values. Pure.
///
/// A value counts once two polls in a row have seen it. Each kind of change is told four times at once, and then every ten
/// seconds, always with the value that was told before. So a value that returns meanwhile is not told at all, and the one
/// that stays is told in the end.
struct GraphSettingsDetector: Sendable {
    struct Settings: Sendable, Equatable {
        /// The serial of the node that drives the graph.
        var driver: UInt64
        var driverTitle: String
        var cycle: CycleSize
        var isFreewheeling: Bool

        /// Whether nothing of them changed. A driver may have another title.
        func isEqual(to other: Settings) -> Bool {
            driver == other.driver && cycle == other.cycle && isFreewheeling == other.isFreewheeling
        }
    }

    enum Change: Sendable, Equatable {
        case driver(from: String, to: String)
        case sampleRate(from: Int, to: Int)
        /// The number of frames in a cycle.
        case quantum(from: Int, to: Int)
        /// The graph runs as fast as it can.
        case freewheelingBegan(driver: String)
        case freewheelingEnded(driver: String)
    }

    private static let limit = RateLimit(burst: 4, perSecond: 0.1)

    private var last: Settings?
    /// The settings that were told. At first those that were found.
    private var told: Settings?
    /// Whether they are those of an earlier session, in which serials were other ones.
    private var isToldEarlier = false
    private var driverLimit = limit
    private var rateLimit = limit
    private var quantumLimit = limit
    private var freewheelingLimit = limit

    /// - Parameter settings: the present ones; `nil` while the graph has no driver.
    /// - Returns: the changes to tell.
    mutating func update(_ settings: Settings?, at now: ContinuousClock.Instant) -> [Change] {
        // The driver writes them one by one.
        defer { last = settings }
        guard let settings, let last, settings.isEqual(to: last) else { return [] }
        guard var told else {
            self.told = settings
            return []
        }
        if isToldEarlier {
            // Of two sessions only the name says that it is the same device. No node has the other serial.
            told.driver = settings.driverTitle == told.driverTitle ? settings.driver : .max
            isToldEarlier = false
        }
        var changes: [Change] = []
        if settings.isFreewheeling != told.isFreewheeling {
            if freewheelingLimit.allows(at: now) {
                let driver = settings.driverTitle
                changes.append(
                    settings.isFreewheeling ? .freewheelingBegan(driver: driver) : .freewheelingEnded(driver: driver))
                told.isFreewheeling = settings.isFreewheeling
                // Part of the same event.
                told.driver = settings.driver
            }
        } else if settings.driver != told.driver, driverLimit.allows(at: now) {
            changes.append(.driver(from: told.driverTitle, to: settings.driverTitle))
            told.driver = settings.driver
        }
        if told.driver == settings.driver { told.driverTitle = settings.driverTitle }
        let (cycle, toldCycle) = (settings.cycle, told.cycle)
        if cycle.sampleRate != toldCycle.sampleRate, rateLimit.allows(at: now) {
            changes.append(.sampleRate(from: toldCycle.sampleRate, to: cycle.sampleRate))
            told.cycle.sampleRate = cycle.sampleRate
        }
        if cycle.frameCount != toldCycle.frameCount, quantumLimit.allows(at: now) {
            changes.append(.quantum(from: toldCycle.frameCount, to: cycle.frameCount))
            told.cycle.frameCount = cycle.frameCount
        }
        self.told = told
        return changes
    }

    /// Forgets the settings, because nothing is connected any more.
    mutating func reset() {
        last = nil
        told = nil
        isToldEarlier = false
    }

    /// The next settings are those of another session. The app has heard of the present ones.
    mutating func sessionEnded() {
        last = nil
        isToldEarlier = told != nil
    }
}
