// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// Starts the installed apps of ports that are missing, and says so.
struct AppStarter {
    private let bus: BusClient
    private let watch: SignalWatch
    private let limit: Duration

    /// - Parameter limit: in seconds, for each app.
    init(_ bus: BusClient, _ watch: SignalWatch, within limit: Double) {
        self.bus = bus
        self.watch = watch
        self.limit = .milliseconds(Int64(max(limit, 0.001) * 1000))
    }

    /// Starts the apps of the names that no port has, all at once, when the ports are there of which no app is installed.
    ///
    /// - Parameter isTyped: whether a name may be short of the whole one.
    /// - Returns: for each name that of its port, or the name itself where nothing was started.
    /// - Throws: ``ToolFailure`` if an app did not start.
    func launch(_ names: [(text: String, role: GraphSnapshot.Role)], isTyped: Bool = false) async throws -> [String] {
        let graph = await bus.graph
        let missing = names.enumerated().filter { _, name in
            (isTyped ? graph.port(typed: name.text, as: name.role) : graph.port(named: name.text, as: name.role))
                == .missing
        }
        guard !missing.isEmpty else { return names.map(\.text) }
        let token = ActivationToken.ofProcess
        let found = try await Interruptible.run(on: bus, since: watch) { [bus, limit] in
            try await bus.waitForOthers(than: missing.map(\.element), waitsForAll: false, timeout: limit) { names in
                let shown = names.map { ConnectWait.shown($0.text, as: $0.role, in: graph) }
                ConnectWait(names, in: graph, within: limit / .seconds(1)).announce(shown.joined(separator: " and "))
            }
            return try await withThrowingTaskGroup { group in
                for (place, name) in missing {
                    group.addTask {
                        let port = try await bus.launchIfMissing(
                            name.text, as: name.role, timeout: limit, activationToken: token
                        ) { Terminal.note("Starting \($0.app.name); control-C ends the wait.") }
                        return (place, port)
                    }
                }
                var found: [Int: GraphPort] = [:]
                do {
                    for try await (place, port) in group { found[place] = port }
                } catch let failure as LaunchFailure {
                    throw ToolFailure("\(failure)")
                }
                return found
            }
        }
        let present = await bus.graph
        return names.enumerated().map { place, name in found[place].map { present.uniqueName(of: $0) } ?? name.text }
    }
}
