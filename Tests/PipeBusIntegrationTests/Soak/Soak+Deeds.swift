// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting

/// Faults.
extension Soak {
    func disturb(_ deed: SoakDeed) async throws {
        lastDeed = deed.rawValue
        log.write("fault: \(deed.rawValue)")
        // The time counts from the end of the fault.
        let start = try await perform(deed)
        guard let start else { return }
        try await converge(within: deed.bound)
        let time = start.duration(to: .now)
        log.write("all is back after \(Int(time / .milliseconds(1))) ms")
        summary.recovered(from: deed, after: time)
    }

    /// Returns when the fault was over; `nil` if nothing was done.
    private func perform(_ deed: SoakDeed) async throws -> ContinuousClock.Instant? {
        switch deed {
        case .killDaemon: return try await restartDaemon(by: SIGKILL)
        case .restartDaemon: return try await restartDaemon(by: SIGTERM)
        case .stopDaemon:
            stage.daemon.signal(SIGSTOP)
            try await pause(.milliseconds(Int.random(in: 100...2500, using: &random)))
            stage.daemon.signal(SIGCONT)
            return .now
        case .killApp:
            guard let app = victims.randomElement(using: &random) else { return nil }
            note(deed, app.name)
            app.process?.signal(SIGKILL)
            return try await again(app)
        case .destroyClient:
            guard let app = victims.randomElement(using: &random) else { return nil }
            note(deed, app.name)
            try await stage.daemon.removeClient(named: app.name)
            return try await again(app)
        case .stopApp:
            guard let app = victims.randomElement(using: &random) else { return nil }
            let time = Int.random(in: 300...5000, using: &random)
            note(deed, "\(app.name), \(time) ms")
            app.process?.signal(SIGSTOP)
            try await pause(.milliseconds(time))
            app.process?.signal(SIGCONT)
            return .now
        case .hangBlock: return try await hangBlock()
        case .destroyNode: return try await destroyNode()
        case .destroyLinks: return try await destroyLinks()
        // At 128 frames a shared machine is late so often that libpipewire's own races show: with 0.3.65 a node that is late once
        // heard the next cycle's sound in place of its own.
        case .forceQuantum: return try await force("quantum", [0, 256, 512, 1024, 2048, 4096])
        case .forceRate: return try await force("rate", [0, 44_100, 48_000, 96_000])
        case .several: return try await doSeveral()
        case .garbage: return try await writeGarbage()
        }
    }

    func note(_ deed: SoakDeed, _ what: String) {
        lastDeed = "\(deed.rawValue): \(what)"
        log.write(lastDeed)
    }

    private func again(_ app: SoakApp) async throws -> ContinuousClock.Instant {
        let start = ContinuousClock.now
        try await restart(app)
        return start
    }

    func restartDaemon(by signal: Int32) async throws -> ContinuousClock.Instant {
        stage.daemon.signal(signal)
        try await eventually("the daemon to end") { !stage.daemon.isRunning }
        // Sometimes the apps have time to notice it.
        if Bool.random(using: &random) { try await pause(.milliseconds(Int.random(in: 1...1500, using: &random))) }
        try stage.daemon.startAgain()
        let start = ContinuousClock.now
        try await eventually("the daemon to listen") { BusClient.isDaemonRunning(remote: stage.daemon.remote) }
        // They end with the daemon.
        for app in stage.apps where app.isForeign {
            let edges = model.edges.filter { $0.source == app.name }
            try await restart(app)
            // The apps at the other end make these again.
            for edge in edges { model.connect(edge) }
        }
        return start
    }

    private func hangBlock() async throws -> ContinuousClock.Instant? {
        // A block that is not called does not hang now, but at some later time.
        let ports = model.ports.values.filter { port in
            port.kind != .receiver && !port.isForeign && !model.isReserved(port) && port.app != "Test"
                && !model.bypassed.contains(port.nodeName) && model.downstream(of: port.nodeName).count > 1
        }.sorted { $0.nodeName < $1.nodeName }
        guard let port = ports.randomElement(using: &random) else { return nil }
        let time = Int.random(in: 100...3000, using: &random)
        note(.hangBlock, "\(port.nodeName), \(time) ms")
        try await stage.peer(of: port)?.hang(port.name, for: Double(time) / 1000)
        try await pause(.milliseconds(time))
        return .now
    }

    func destroyNode() async throws -> ContinuousClock.Instant? {
        let ports = model.ports.values.filter {
            !$0.isForeign && !model.isReserved($0)
                && (destroyed[$0.nodeName]?.duration(to: .now) ?? .seconds(10)) >= .seconds(10)
        }.sorted { $0.nodeName < $1.nodeName }
        guard let port = ports.randomElement(using: &random) else { return nil }
        note(.destroyNode, port.nodeName)
        guard let old = await stage.patchbay.graph.ports.first(where: { $0.nodeName == port.nodeName })
        else { throw SoakFailure("\(port.nodeName) is not there") }
        destroyed[port.nodeName] = .now
        try await stage.tool("pw-cli", "destroy", "\(old.nodeID)")
        let start = ContinuousClock.now
        // The graph was right before: the new node must be seen. It may get the number of the old one.
        try await eventually("\(port.nodeName) to be another node") {
            let found = await stage.patchbay.graph.ports.first { $0.nodeName == port.nodeName }
            return found.map { $0.id != old.id } ?? false
        }
        return start
    }

    private func destroyLinks() async throws -> ContinuousClock.Instant? {
        let edges = model.edges.filter { !$0.source.hasPrefix("Steady") }.sorted { $0.description < $1.description }
        guard !edges.isEmpty else { return nil }
        let chosen = edges.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
        note(.destroyLinks, "\(chosen.map(\.description))")
        for edge in chosen {
            let graph = await stage.patchbay.graph
            let link = graph.connections.first {
                graph.port($0.source)?.nodeName == edge.source
                    && graph.port($0.destination)?.nodeName == edge.destination
            }?.links.first
            guard let link else { throw SoakFailure("\(edge) is not there") }
            try await stage.tool("pw-cli", "destroy", "\(link.id)")
            model.disconnect(edge)
        }
        return .now
    }

    private func force(_ what: String, _ values: [Int]) async throws -> ContinuousClock.Instant? {
        guard let value = values.randomElement(using: &random) else { return nil }
        lastDeed = "\(what) \(value)"
        log.write(lastDeed)
        let isSet = try await stage.tool("pw-metadata", "-n", "settings", "0", "clock.force-\(what)", "\(value)")
        guard isSet else { throw SoakFailure("the \(what) could not be forced") }
        return .now
    }

    private func writeGarbage() async throws -> ContinuousClock.Instant? {
        let dump = try await GraphDump.take(stage.daemon, client: stage.daemon.installation)
        let names = dump.objects.filter { $0.type == "Metadata" }.compactMap { $0.properties["metadata.name"] }
            .filter { $0 != "settings" }.sorted()
        let keys = [
            "", "pipebus", "volume:", "pipebus.level", "level/Test.in/App1.out", "\u{1B}[2J", "a\u{202E}b",
            String(repeating: "k", count: 3000), "{", "default.audio.sink",
        ]
        let values = [
            "", "NaN", "-inf", "1e999", "{\"volume\":1e400}", "\u{1B}]0;x\u{7}", "{ \"name\": ",
            String(repeating: "9", count: 20_000), "[[[[[[", "true",
        ]
        note(.garbage, "\(names)")
        for _ in 0..<5 {
            guard let name = names.randomElement(using: &random), let key = keys.randomElement(using: &random),
                let value = values.randomElement(using: &random)
            else { return nil }
            let subject = [0, 1, 32, 4_294_967_295].randomElement(using: &random) ?? 0
            try await stage.tool("pw-metadata", "-n", name, "\(subject)", key, value, "Spa:String:JSON")
            // pw-dump of 1.4 prints it as it is, and cannot be read while it is there.
            try await stage.tool("pw-metadata", "-n", name, "-d", "\(subject)", key)
        }
        return .now
    }
}
