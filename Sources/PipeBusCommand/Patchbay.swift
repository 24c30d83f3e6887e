// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The common part of the patchbay's commands: a client without ports, for as long as the command runs.
enum Patchbay {
    /// - Throws: as `RemoteOptions.connect`.
    static func connect(
        _ remote: RemoteOptions, isCancelled: @Sendable () -> Bool = { false }
    ) async throws -> BusClient {
        try await remote.connect(
            as: "org.pipebus.patchbay", name: "PipeBus patchbay", tool: "pipebus", allowsConnectionsToSelf: true,
            alternative: "\"pipebus daemon\" keeps a private one", isCancelled: isCancelled)
    }

    static func with<Result: Sendable>(
        _ remote: RemoteOptions, _ work: @Sendable (BusClient) async throws -> Result
    ) async throws -> Result {
        let bus: BusClient
        do {
            bus = try await connect(remote)
        } catch {
            throw CommandFailure.of(error, in: nil)
        }
        do {
            let result = try await work(bus)
            await bus.close()
            return result
        } catch {
            let failure = CommandFailure.of(error, in: bus.state)
            await bus.close()
            throw failure
        }
    }
}
