// SPDX-License-Identifier: MIT
public import ConnectionGraph

extension ReceiverPort {
    /// Reads how a source is mixed.
    ///
    /// A receiver of separate streams does not mix, so its sources have no mix levels. There this and all other calls
    /// about levels throw `notSupported`.
    ///
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported`, `closed` or `connectionLost`.
    public func level(of source: GraphPort.ID) async throws -> Source.Level {
        try await client.localLevel(of: source, at: handle)
    }

    /// Sets volume, pan, mute and solo of a source at once.
    ///
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported`, `closed` or `connectionLost`.
    public func setLevel(_ level: Source.Level, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0 = level }
    }

    /// Sets the volume of a source in the mix; the gain reaches it within 20 ms. The receiver remembers the mix level
    /// of a source by its ``Source/identity``.
    ///
    /// - Parameter volume: 0…1, linear amplitude. A value out of range is clamped.
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported`, `closed` or `connectionLost`.
    public func setVolume(_ volume: Double, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0.volume = volume }
    }

    /// Sets the volume of a source in the mix, in decibels; see ``setVolume(_:for:)``.
    ///
    /// - Parameter decibels: −∞…0 dB, see ``Source/Level/volumeInDecibels``. A value above 0 dB is clamped.
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported`, `closed` or `connectionLost`.
    public func setVolume(decibels: Double, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0.volumeInDecibels = decibels }
    }

    /// Sets the place of a source in a stereo mix, by the receiver's ``PanLaw``.
    ///
    /// - Parameter pan: −1 (left) … 1 (right). A value out of range is clamped.
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported`, `closed` or `connectionLost`.
    public func setPan(_ pan: Double, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0.pan = pan }
    }

    /// Takes a source out of the mix, or back in.
    ///
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported`, `closed` or `connectionLost`.
    public func setMuted(_ isMuted: Bool, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0.isMuted = isMuted }
    }

    /// Sets whether a source is soloed. While any source is soloed, only soloed sources are in the mix, and of these
    /// the muted ones are not heard.
    ///
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported`, `closed` or `connectionLost`.
    public func setSoloed(_ isSoloed: Bool, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0.isSoloed = isSoloed }
    }

    /// The mix levels of all sources that are connected or were, for the app to save. Mute and solo are included.
    ///
    /// Of the levels that were set source by source, the last 1 000 are remembered.
    ///
    /// - Throws: ``PipeBusError`` `notSupported`, `closed` or `connectionLost`.
    public var levels: SourceLevels {
        get async throws { try await client.savedLevels(of: handle) }
    }

    /// Replaces all remembered mix levels with those that the app has saved.
    ///
    /// Connected sources take their levels from it at once; a source without a saved one gets the default.
    ///
    /// - Throws: ``PipeBusError`` `notSupported`, `closed` or `connectionLost`.
    public func restore(_ levels: SourceLevels) async throws { try await client.restore(levels, at: handle) }
}
