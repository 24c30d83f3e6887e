// SPDX-License-Identifier: MIT
import Glibc
package import PipeBus

/// The life of a tool that runs until its work is done or a signal ends it.
///
/// Create it first. From then on SIGINT, SIGTERM and SIGHUP end the tool in order, with status 0. The kernel sends SIGHUP when
/// the terminal is closed. A pipe without a reader, or a closed terminal whose signal is ignored, neither ends the tool nor is
/// an error at its end.
package final class ToolRun: Sendable {
    private let tool: String
    private let signals = SignalWatch()

    /// - Parameter tool: the name in front of PipeBus's notices.
    package init(as tool: String) {
        self.tool = tool
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether a signal has requested the end of the tool.
    package var isCancelled: Bool { signals.signal != nil }

    /// A missing priority is in PipeWire's own log already, and the others ask nothing of anybody.
    private static let unsaid: Set<Notice.Kind> = [
        .noRealtimePriority, .driverChanged, .sampleRateChanged, .quantumChanged, .freewheelingBegan,
        .freewheelingEnded,
    ]

    /// The lines for a terminal. Without a daemon, the tool's own ones would say that nothing is connected.
    private static func lines(_ lines: [String], in state: BusClient.State) -> [String] {
        guard case .interrupted(let reason) = state, reason.isConnectionLost, !lines.isEmpty else { return lines }
        return ["waiting for PipeWire"]
    }

    /// Keeps the tool running, then closes the client. The tool goes on when the daemon ends, and reports that. It
    /// ends when its port cannot be kept in the graph.
    ///
    /// - Parameters:
    ///   - isDone: polled 20 times a second, because the audio thread cannot call anything.
    ///   - atEnd: called when the end begins, once or twice, perhaps at the same time. The client may be closed already.
    ///   - say: takes the sentences about the client and its notices; by default they are printed on stderr.
    ///   - status: the lines for a terminal.
    /// - Throws: ``PipeBusError`` `connectionLost`, and ``ToolFailure`` when a port was removed.
    package func keep(
        _ bus: BusClient, until isDone: @escaping @Sendable () -> Bool,
        atEnd: @escaping @Sendable () async -> Void = {}, saying say: (@Sendable (String) -> Void)? = nil,
        showing status: @escaping @Sendable () async -> [String]
    ) async throws {
        let say = say ?? { [tool] in Terminal.complain($0, as: tool) }
        let ticker = Task {
            var line = StatusLine()
            defer { line.clear() }
            // An earlier signal is known here only.
            while !isDone(), signals.signal == nil {
                if Terminal.isInForeground { line.show(Self.lines(await status(), in: bus.state)) }
                // The pace of polling, not a wait for a result: cancelled when the client ends.
                try await Task.sleep(for: .milliseconds(50))
            }
            await atEnd()
            await bus.close()
        }
        let listener = Task { () -> ToolFailure? in
            for await notice in bus.notices where !Self.unsaid.contains(notice.kind) {
                guard notice.kind != .portLost else {
                    await bus.close()
                    return ToolFailure(notice.message)
                }
                say(notice.message)
            }
            return nil
        }
        let watcher = Task {
            var sentences = StateSentences()
            for await state in bus.stateUpdates {
                if let sentence = sentences.sentence(for: state) { say(sentence) }
            }
        }
        let ending = await bus.runUntilSignal { _ in await atEnd() }
        await watcher.value
        ticker.cancel()
        _ = await ticker.result
        if let failure = await listener.value { throw failure }
        if case .connectionLost(let error) = ending { throw error }
    }
}
