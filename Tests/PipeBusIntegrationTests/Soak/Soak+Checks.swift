// SPDX-License-Identifier: MIT
import Foundation
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting

/// What must be true after a while.
extension Soak {
    /// Waits until everything that was declared is in the graph, and every port hears what its sources send.
    func converge(within bound: Duration) async throws {
        let deadline = ContinuousClock.now.advanced(by: bound)
        var difference: String? = "nothing was looked at"
        // What was heard before the call proves nothing.
        var before: [String: UInt64] = [:]
        for port in listeners { before[port.nodeName] = try await stage.sum(port)?.cycles }
        while true {
            difference = await stage.difference(from: model)
            if difference == nil { difference = try await soundDifference(since: before) }
            // A watchdog that gave a source up in its last moment has done so by now.
            if difference == nil { difference = await stage.difference(from: model) }
            guard difference != nil else { return }
            guard ContinuousClock.now < deadline else {
                throw SoakFailure("It is not back after \(bound / .seconds(1)) s: \(difference ?? "")")
            }
            for app in stage.apps where !app.isRunning {
                throw SoakFailure("\(app.name) has ended: \(app.process?.failure("ended").description ?? "")")
            }
            try await pause(.milliseconds(4))
        }
    }

    /// Nothing tells when time has passed.
    func pause(_ time: Duration) async throws {
        let start = ContinuousClock.now
        try await eventually("time to pass", within: time + .seconds(60)) { start.duration(to: .now) >= time }
    }

    /// The ports that check what they hear, those in front first.
    var listeners: [SoakPort] {
        model.ports.values.filter { $0.kind != .sender && !model.bypassed.contains($0.nodeName) && isHeard($0) }
            .sorted { $0.nodeName < $1.nodeName }
    }

    /// Whether its block is called: a filter's is only while it has a destination.
    private func isHeard(_ port: SoakPort) -> Bool {
        port.kind == .receiver
            ? !model.sources(of: port.nodeName).isEmpty : model.downstream(of: port.nodeName).count > 1
    }

    private func soundDifference(since before: [String: UInt64]) async throws -> String? {
        for port in listeners {
            guard let report = try await stage.sum(port) else { return "\(port.nodeName) does not answer" }
            let slope = model.slope(at: port.nodeName)
            // A port that was made again begins to count anew.
            if let cycles = before[port.nodeName], (cycles...cycles + 1).contains(report.cycles) {
                return "\(port.nodeName) ran for \(report.cycles - cycles) cycles"
            }
            guard report.slope == slope, report.steadyFrames > 480 else {
                return "\(port.nodeName) hears \(report.slope) instead of \(slope), \(report.steadyFrames) frames, "
                    + "\(report.cycles) cycles; its sources: \(model.upstream(of: port.nodeName).sorted())"
            }
        }
        return nil
    }

    // MARK: Resources

    /// Removes all connections but those of the steady chain, and measures: the processes have the same to hold each time.
    func measureBare() async throws {
        log.write("all connections are removed")
        for edge in model.edges.sorted(by: { $0.description < $1.description }) where !edge.source.hasPrefix("Steady") {
            try await stage.patchbay.disconnect(edge.source, from: edge.destination)
            model.disconnect(edge)
        }
        try await checkDaemonObjects()
        try await pause(.seconds(1))
        resources.measure("this process", getpid(), at: log.elapsed)
        for app in stage.apps { if let pid = app.process?.pid { resources.measure(app.name, pid, at: log.elapsed) } }
    }

    /// Compares the daemon's objects with what there should be.
    func checkDaemonObjects() async throws {
        try await converge(within: .seconds(60))
        var counts = ""
        do {
            try await eventually("the daemon to have no more objects than it should") {
                let dump = try await GraphDump.take(stage.daemon, client: stage.daemon.installation)
                func count(_ type: String) -> Int { dump.objects.count { $0.type == type } }
                let clients = stage.apps.count + 2
                counts =
                    "\(count("Client")) clients of \(clients), \(count("Node")) nodes of \(model.ports.count + 1), "
                    + "\(count("Link")) links of \(model.edges.count), \(count("Metadata")) metadata objects"
                // Of an app, the daemon's settings and the default one.
                return count("Client") == clients && count("Node") == model.ports.count + 1
                    && count("Link") == model.edges.count && count("Metadata") <= clients + 4
            }
        } catch {
            throw SoakFailure("\(error) There are \(counts).")
        }
        log.write("daemon: \(counts)")
    }
}
