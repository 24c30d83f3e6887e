// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus

/// Connects two ports for a command that a signal may end meanwhile: then no link is left, as after any other failure.
enum InterruptibleConnect {
    private enum Outcome: Sendable {
        case connected(Connection)
        case ended(BusClient.Ending)
    }

    /// - Parameter watch: a watch that began with the command.
    /// - Throws: an exit code, as of a command that a signal has ended; or what the call throws.
    static func connect(
        _ source: String, to destination: String, channels: ChannelPairing, timeout: Duration, on bus: BusClient,
        since watch: SignalWatch
    ) async throws -> Connection {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            group.addTask {
                .connected(
                    try await bus.connect(source, to: destination, channels: channels, lingers: true, timeout: timeout))
            }
            group.addTask { .ended(await bus.waitForSignal(since: watch)) }
            defer { group.cancelAll() }
            while let outcome = try await group.next() {
                switch outcome {
                case .connected(let connection): return connection
                case .ended(.signal(let signal)):
                    group.cancelAll()
                    // It may have been made at the same moment. Otherwise its links are taken back now.
                    if case .success(.connected(let connection))? = await group.nextResult() { return connection }
                    throw ExitCode(128 + signal)
                // With the end of the client the other task ends too.
                case .ended: continue
                }
            }
            throw CancellationError()
        }
    }
}
