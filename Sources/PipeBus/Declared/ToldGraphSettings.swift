// SPDX-License-Identifier: MIT

/// What the app was told of the graph's driver, rate and cycle length, which another daemon may change. Confined to the loop.
final class ToldGraphSettings {
    private var detector = GraphSettingsDetector()

    /// - Parameter settings: the present ones; `nil` while the graph has no driver.
    /// - Returns: the changes to tell.
    func update(_ settings: GraphSettingsDetector.Settings?) -> [GraphSettingsDetector.Change] {
        detector.update(settings, at: .now)
    }

    /// Forgets the settings, because nothing is connected any more.
    func reset() { detector.reset() }

    func sessionEnded() { detector.sessionEnded() }
}
