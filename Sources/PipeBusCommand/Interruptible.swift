// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus

/// Changes connections for a command that a signal may end meanwhile: then no link is left, as after any other failure.
enum Interruptible {
    private enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        case ended(BusClient.Ending)
    }

    /// - Parameters:
    ///   - watch: a watch that began with the command.
    ///   - change: takes its links back when its task is cancelled.
    /// - Throws: an exit code, as of a command that a signal has ended; or what the call throws.
    static func run<Value: Sendable>(
        on bus: BusClient, since watch: SignalWatch, _ change: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Outcome<Value>.self) { group in
            group.addTask { .done(try await change()) }
            group.addTask { .ended(await bus.waitForSignal(since: watch)) }
            defer { group.cancelAll() }
            while let outcome = try await group.next() {
                switch outcome {
                case .done(let value): return value
                case .ended(.signal(let signal)):
                    group.cancelAll()
                    // It may have been made at the same moment. Otherwise its links are taken back now.
                    if case .success(.done(let value))? = await group.nextResult() { return value }
                    throw ExitCode(128 + signal)
                // With the end of the client the other task ends too.
                case .ended: continue
                }
            }
            throw CancellationError()
        }
    }
}
