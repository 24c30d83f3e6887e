// SPDX-License-Identifier: MIT
package import PipeBusTesting

/// A `clock-sender`: a stereo sender made without PipeBus, of which every frame shows when it was made. See
/// Tests/ClockSender.
package struct ClockSender: Sendable {
    package let name: String
    package let process: ChildProcess

    /// Starts one and waits until its ports, `out_FL` and `out_FR`, can be linked.
    ///
    /// - Parameters:
    ///   - lag: how much later its control thread is whenever it waits for its audio thread, in ms.
    ///   - environment: a daemon's, such as ``HeadlessPipeWire/environment(client:)``.
    package static func start(
        _ name: String, latency: Int = 0, lag: Int = 0, in environment: [String: String]
    ) async throws -> ClockSender {
        let process = try ChildProcess(
            Programs.path(of: "clock-sender"), ["--name", name, "--latency", "\(latency)", "--lag", "\(lag)"],
            environment: environment, endMethod: .endOfInput)
        try await process.nextLine { $0 == "ready" }
        return ClockSender(name: name, process: process)
    }

    /// Publishes another latency, and sends what fits it from the next cycle on.
    package func setLatency(_ frames: Int) async throws { try await obey("latency \(frames)") }

    /// The first sample of each of so many blocks is not a number.
    package func spoil(blocks: Int) async throws { try await obey("spoil \(blocks)") }

    /// Pauses it, as a player is paused, or lets it go on.
    package func setActive(_ isActive: Bool) async throws { try await obey("active \(isActive ? "on" : "off")") }

    package func setSilent(_ isSilent: Bool) async throws { try await obey("silence \(isSilent ? "on" : "off")") }

    /// Frames that the graph's clock went on without calling it, while it was linked: it was too late for those cycles.
    package var missedFrames: Int {
        get async throws {
            process.send("missed")
            let line = try await process.nextLine { $0.hasPrefix("missed ") }
            return Int(line.dropFirst("missed ".count)) ?? 0
        }
    }

    private func obey(_ command: String) async throws {
        process.send(command)
        try await process.nextLine { $0 == "done \(command)" }
    }
}
