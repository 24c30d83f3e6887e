// SPDX-License-Identifier: MIT
import CRealtime
package import PipeBus

/// The life of a tool that goes on until its work is done or somebody ends it.
///
/// Made first of all: from then on SIGINT and SIGTERM end the tool in order, whatever it is doing.
package final class ToolRun: Sendable {
    private let tool: String
    private let signals: Int32

    /// - Parameter tool: in front of what PipeBus has to tell.
    package init(as tool: String) {
        self.tool = tool
        signals = crt_signal_watch()
    }

    deinit {
        if signals >= 0 { crt_signal_unwatch(signals) }
    }

    /// Keeps the tool going, then closes the client.
    ///
    /// - Parameters:
    ///   - isDone: asked about 20 times a second, as the audio thread can call nobody.
    ///   - status: the lines that a terminal shows meanwhile.
    /// - Throws: ``PipeBusError`` `connectionLost`.
    package func keep(
        _ bus: BusClient, until isDone: @escaping @Sendable () -> Bool,
        showing status: @escaping @Sendable () async -> [String]
    ) async throws {
        let ticker = Task {
            var line = StatusLine()
            defer { line.clear() }
            // A signal from before anybody waited for one is known here only.
            while !isDone(), signals < 0 || crt_signal_take(signals) == 0 {
                if Terminal.isInteractive { line.show(await status()) }
                // A pace, not a wait for anything: cancelled when the client ends.
                try await Task.sleep(for: .milliseconds(50))
            }
            await bus.close()
        }
        let listener = Task {
            // Want of priority is in PipeWire's own log already.
            for await notice in bus.notices where notice.kind != .noRealtimePriority {
                Terminal.complain(notice.message, as: tool)
            }
        }
        let ending = await bus.runUntilSignal()
        ticker.cancel()
        _ = await ticker.result
        await listener.value
        if case .connectionLost(let error) = ending { throw error }
    }
}
