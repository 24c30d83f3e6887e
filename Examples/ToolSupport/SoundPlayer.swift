// SPDX-License-Identifier: MIT
package import PipeBus
import Synchronization

/// Plays a sound of any length into a sender, block by block, as it comes from a disk or another program.
///
/// - Thread: any.
package final class SoundPlayer: Sendable {
    /// What was played so far.
    private struct Figures {
        /// At the sound's rate.
        var frames = 0
        /// The length of the sound, without the silence after it, once its end is known.
        var length = Int.max
        /// Times that the sound did not come in time.
        var underruns: UInt64 = 0
        /// Frames that the port missed (xruns). The sound went on later by as many.
        var missedFrames: UInt64 = 0
        /// All but the silence at the end has left the writer. `isHeard`: and that too, or the port is closed.
        var isSent = false
        var isHeard = false
    }

    private let format: StreamFormat
    private let sampleRate: Int
    /// What is too slow when the sound runs out.
    private let origin: String
    private let state = Mutex(Figures())

    /// - Parameters:
    ///   - sampleRate: of the sound, in hertz.
    ///   - origin: what the sound comes from, such as "the disk".
    package init(_ sample: StreamFormat.Sample, sampleRate: Int, from origin: String) {
        format = StreamFormat(sample, sampleRate: sampleRate)
        self.sampleRate = sampleRate
        self.origin = origin
    }

    /// Plays the sound into a port until it is over, or the tool is ended. Then the client is closed.
    ///
    /// - Parameters:
    ///   - latency: of the port, in frames of the graph.
    ///   - next: gives the next block, which may be empty, and `nil` at the end. It is called on threads that may wait.
    /// - Throws: the error of `next`, or what ``ToolRun/keep(_:until:atEnd:showing:)`` throws.
    package func run(
        _ tool: ToolRun, of bus: BusClient, into port: SenderPort, latency: Int = 0,
        _ next: @escaping @Sendable () throws -> SoundBlock?
    ) async throws {
        var writer = try await PitchKeepingWriter(port, format, sampleRate: sampleRate, latency: latency)
        try Terminal.announce("port", port.nodeName)
        async let end: Void = tool.keep(
            bus, until: { self.isOver(whileConnected: port.isConnected) },
            atEnd: { await self.noteMissedFrames(of: port) }
        ) {
            [await self.line(of: port)]
        }
        let playing = await play(into: port, &writer, next)
        state.withLock { $0.isHeard = true }
        try await end
        // No cycle takes anything any more, so this is all that was heard.
        note(writer.playedFrames, writer.underruns)
        try playing.get()
    }

    /// Whether nothing is left to play. Without a destination that is so when only the silence at the end is left.
    private func isOver(whileConnected isConnected: Bool) -> Bool {
        state.withLock { $0.isHeard || $0.isSent && !isConnected }
    }

    /// Plays once something is connected, and returns when all was heard, or the port is closed, which the tool reports.
    private func play(
        into port: SenderPort, _ writer: inout PitchKeepingWriter,
        _ next: @escaping @Sendable () throws -> SoundBlock?
    ) async -> Result<Void, any Error> {
        do {
            // Before anything is connected, so that the lack of any sound is said at once. Swift's own threads must not wait for a
            // disk or a network.
            var block = try await BlockingThread.run(next)
            while block?.isEmpty == true, !port.isConnected, !port.isAtEnd {
                block = try await BlockingThread.run(next)
            }
            // Only then the graph's rate is known for certain.
            try await port.waitForDestinations()
            while let sound = block {
                if port.isAtEnd { return .success(()) }
                try await writer.write(sound)
                note(writer.playedFrames, writer.underruns)
                await noteMissedFrames(of: port)
                block = try await BlockingThread.run(next)
            }
            try await playRest(of: &writer, in: port)
            try await writer.finish()
            return .success(())
        } catch is PipeBusError where port.isAtEnd {
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Adds silence that lasts until the last frame was heard, and waits until it is all that is left.
    private func playRest(of writer: inout PitchKeepingWriter, in port: SenderPort) async throws {
        let frames = writer.addedFrames
        state.withLock { $0.length = frames }
        let silence = max(sampleRate / 10, await port.passage(atRate: sampleRate))
        let bytes = [UInt8](repeating: 0, count: silence * writer.channelCount * format.sample.byteCount)
        try await writer.write(.bytes(bytes))
        var (waiting, cycles) = (-1, UInt64(0))
        while writer.playedFrames < frames {
            note(writer.playedFrames, writer.underruns)
            await noteMissedFrames(of: port)
            let now = try await port.statistics.cycles
            if writer.waitingFrames != waiting { (waiting, cycles) = (writer.waitingFrames, now) }
            // Cycles that find nothing: only what a resampler holds back is left.
            if now >= cycles + 4 { break }
            try await writer.wait()
            // At another rate it is converted once more.
            try await writer.writeAll()
        }
        note(frames, writer.underruns)
        await noteMissedFrames(of: port)
        state.withLock { $0.isSent = true }
    }

    private func note(_ played: Int, _ underruns: UInt64) {
        state.withLock { figures in
            figures.frames = max(min(played, figures.length), figures.frames)
            figures.underruns = underruns
        }
    }

    /// Without effect once the client is closed.
    private func noteMissedFrames(of port: SenderPort) async {
        guard let missed = try? await port.statistics.missedFrames else { return }
        state.withLock { $0.missedFrames = missed }
    }

    // MARK: Words

    /// The line for a terminal.
    private func line(of port: SenderPort) async -> String {
        let titles = (try? await port.state.destinations.map(\.title)) ?? []
        let figures = state.withLock { $0 }
        guard !titles.isEmpty else { return "\(port.nodeName): waiting until something is connected" }
        return "\(port.nodeName): \(seconds(figures)) s to \(titles.joined(separator: ", "))\(losses(figures))"
    }

    /// Prints the result at the end.
    package func report() {
        let figures = state.withLock { $0 }
        Terminal.report(
            figures.frames > 0
                ? "Sent \(figures.frames) frames (\(seconds(figures)) s)\(losses(figures))."
                : "Nothing was connected, so nothing was sent.",
            [
                "frames": "\(figures.frames)", "missed_frames": "\(figures.missedFrames)",
                "underruns": "\(figures.underruns)", "sample_rate": "\(sampleRate)",
            ])
    }

    private func seconds(_ figures: Figures) -> String {
        Decimal.text(Double(figures.frames) / Double(sampleRate), digits: 1)
    }

    private func losses(_ figures: Figures) -> String {
        (figures.missedFrames > 0 ? ", \(figures.missedFrames) frames missed" : "")
            + (figures.underruns > 0
                ? ", \(figures.underruns) underrun\(figures.underruns == 1 ? "" : "s") because \(origin) was too slow"
                : "")
    }
}
