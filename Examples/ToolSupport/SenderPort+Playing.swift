// SPDX-License-Identifier: MIT
package import PipeBus

/// What players of a sound need beside a `Writer`, so that nothing of it is lost at its beginning and its end.
extension SenderPort {
    /// Waits until nothing more is connected for a tenth of a second and four cycles: channels are linked one after the other, and
    /// a destination hears a new link a cycle or two later. A person who links them one by one takes longer, and may want only
    /// some, so that is a second.
    ///
    /// - Throws: `PipeBusError` `closed`.
    package func waitForDestinations() async throws {
        var seen = Destinations()
        var (start, firstCycle) = (ContinuousClock.now, UInt64(0))
        while true {
            let (now, cycles) = try await destinations()
            if now != seen { (seen, start, firstCycle) = (now, .now, cycles) }
            let margin: Duration = now.isComplete ? .milliseconds(100) : .seconds(1)
            if now.count > 0, .now - start >= margin, cycles >= firstCycle + 4 { return }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private struct Destinations: Equatable {
        var count = 0
        /// Whether every channel is linked.
        var isComplete = false
    }

    /// What the port is connected to, and the number of its cycles.
    private func destinations() async throws -> (Destinations, cycles: UInt64) {
        do {
            let count = try await state.destinations.count
            return (Destinations(count: count, isComplete: isFullyConnected), try await statistics.cycles)
        } catch let error as PipeBusError where error.code == .connectionLost {
            // Until there is another daemon.
            return (Destinations(), 0)
        }
    }

    /// Number of frames, at a sound's rate, that its last one needs to pass all ports downstream: four cycles.
    package func passage(atRate sampleRate: Int) async -> Int {
        guard let statistics = try? await statistics, statistics.cycles > 0 else { return 0 }
        let rate = client.clock?.sampleRate ?? sampleRate
        return 4 * Int(statistics.frames / statistics.cycles) * sampleRate / max(rate, 1)
    }

    /// Whether the port's client is closed: nothing will be played any more.
    package var isAtEnd: Bool {
        if case .closed = client.state { true } else { false }
    }
}
