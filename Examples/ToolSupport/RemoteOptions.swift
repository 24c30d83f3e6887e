// SPDX-License-Identifier: MIT
package import ArgumentParser
package import PipeBus

/// The choice of the daemon.
package struct RemoteOptions: ParsableArguments {
    @Option(
        name: .customLong("remote"),
        help: ArgumentHelp(
            "The PipeWire daemon: its socket's name or absolute path. Without it PIPEWIRE_REMOTE decides, "
                + "and then it is your default daemon.",
            valueName: "name"))
    package var name: String?

    @Flag(
        name: .customLong("wait"),
        help: "Start also while no daemon can be used, and wait for one. It does not wait for ports.")
    package var waits = false

    package init() {}

    /// The longest time that a daemon may leave a person without an answer.
    private static let patience: Duration = .milliseconds(2500)

    /// Connects to the daemon.
    ///
    /// - Parameters:
    ///   - tool: the name in front of what is reported while the tool waits for the daemon.
    ///   - alternative: the end of the sentence about a missing daemon, for a tool that knows a way out.
    ///   - isCancelled: asked again and again while the tool waits.
    /// - Returns: a client that runs.
    /// - Throws: ``PipeBusError``, ``ToolFailure`` without a daemon, and ``ToolCancellation`` when the wait is cancelled.
    package func connect(
        as id: String, name: String, tool: String, allowsConnectionsToSelf: Bool = false,
        alternative: String? = nil, isCancelled: @Sendable () -> Bool = { false }
    ) async throws -> BusClient {
        let bus: BusClient
        do {
            bus = try await BusClient.connect(
                as: id, name: name, remote: self.name, allowsConnectionsToSelf: allowsConnectionsToSelf,
                waitsForDaemon: waits, timeout: Self.patience)
        } catch let error as PipeBusError where error.code == .noDaemon {
            // The library's sentence knows no options.
            throw ToolFailure(
                "\(error.message.hasSuffix(".") ? error.message.dropLast() : error.message[...]); with --wait \(tool) waits for one\(alternative.map { ", and \($0)" } ?? "")."
            )
        }
        guard case .interrupted(let reason) = bus.state else { return bus }
        Terminal.complain("\(reason.message) Waiting for it", as: tool)
        while case .interrupted = bus.state {
            guard !isCancelled() else {
                await bus.close()
                throw ToolCancellation()
            }
            // The pace of polling, for a signal that the audio tool records.
            try? await Task.sleep(for: .milliseconds(20))
        }
        return bus
    }
}
