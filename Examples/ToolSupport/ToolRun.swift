// SPDX-License-Identifier: MIT
import Glibc
package import PipeBus

/// The life of a tool that goes on until its work is done or somebody ends it.
///
/// Made first of all: from then on SIGINT, SIGTERM and SIGHUP end the tool in order, whatever it is doing. A terminal or a
/// reader that is gone does not: what cannot be written any more is an error when all else is done.
package final class ToolRun: Sendable {
    private let tool: String
    private let signals = SignalWatch()

    /// - Parameter tool: in front of PipeBus's notices.
    package init(as tool: String) {
        self.tool = tool
        signal(SIGPIPE, SIG_IGN)
    }

    /// Keeps the tool going, then closes the client. A tool whose port is removed by somebody has nothing left to do: it ends.
    ///
    /// - Parameters:
    ///   - isDone: asked about 20 times a second, as the audio thread can call nobody.
    ///   - status: the lines that a terminal shows meanwhile.
    /// - Throws: ``PipeBusError`` `connectionLost`, and ``ToolFailure`` when a port was removed.
    package func keep(
        _ bus: BusClient, until isDone: @escaping @Sendable () -> Bool,
        showing status: @escaping @Sendable () async -> [String]
    ) async throws {
        let ticker = Task {
            var line = StatusLine()
            defer { line.clear() }
            // A signal from before anybody waited for one is known here only.
            while !isDone(), signals.signal == nil {
                if Terminal.isInteractive { line.show(await status()) }
                // A pace, not a wait for anything: cancelled when the client ends.
                try await Task.sleep(for: .milliseconds(50))
            }
            await bus.close()
        }
        let listener = Task { () -> ToolFailure? in
            // Want of priority is in PipeWire's own log already.
            for await notice in bus.notices where notice.kind != .noRealtimePriority {
                guard notice.kind != .portLost else {
                    await bus.close()
                    return ToolFailure(notice.message)
                }
                Terminal.complain(notice.message, as: tool)
            }
            return nil
        }
        let ending = await bus.runUntilSignal()
        ticker.cancel()
        _ = await ticker.result
        if let failure = await listener.value { throw failure }
        if case .connectionLost(let error) = ending { throw error }
    }
}
