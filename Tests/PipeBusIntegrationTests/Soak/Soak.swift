// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTesting
import SeededRandom

/// Apps that are connected at random, and faults at random. After each fault all that was declared must be back, and then the
/// sound of every port must be exact for a second.
final class Soak {
    let stage: SoakStage
    let log: SoakLog
    let seed: UInt64
    var random: SeededGenerator
    var model = SoakModel()
    var summary = SoakSummary()
    var resources = SoakResources()
    var lastDeed = "the start"
    /// The moment from which on the steady chain is checked, in nanoseconds of CLOCK_MONOTONIC.
    var steadySince: UInt64 = .max
    /// The times at which a port's node was destroyed: a port that is removed six times in ten seconds is given up.
    var destroyed: [String: ContinuousClock.Instant] = [:]

    init(on daemon: HeadlessPipeWire, seed: UInt64, log: SoakLog) async throws {
        stage = try await SoakStage(on: daemon)
        self.log = log
        for bus in [stage.test, stage.patchbay] {
            Task {
                for await notice in bus.notices { log.write("\(bus.name) saw: \(notice.kind.rawValue): \(notice)") }
            }
            Task { for await state in bus.stateUpdates { log.write("\(bus.name) saw: \(state)") } }
        }
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    func run(for duration: Duration) async throws {
        let end = ContinuousClock.now.advanced(by: duration)
        do {
            try await begin()
            var round = 0
            while ContinuousClock.now < end {
                round += 1
                // The topology begins anew every four rounds.
                if round % 4 == 1 { try await connectSeveral() }
                for _ in 0..<Int.random(in: 1...4, using: &random) { try await changeTopology() }
                try await converge(within: .seconds(20))
                try await checkQuiet()
                try await disturb(.random(using: &random))
                if round.isMultiple(of: 4) { try await measureBare() }
            }
            try await measureBare()
        } catch {
            let sources = await stage.describe(in: log.path + ".json")
            log.write("the sources:\n\(sources)")
            await logEvents()
            throw SoakFailure(
                "Seed \(seed), after \(Int(log.elapsed / .seconds(1))) s, deed: \(lastDeed). \(error)\n"
                    + "The log is \(log.path); its end:\n\(log.recent.joined(separator: "\n"))")
        }
    }

    private func begin() async throws {
        model.add(stage.ownPorts)
        for app in stage.apps { try await start(app) }
        for (source, destination) in [("SteadyA", "SteadyB"), ("SteadyB", "SteadyC")] {
            let peer = stage.app(destination)?.peer
            try await peer?.join(source, to: destination)
            let ports = [source, destination].compactMap { stage.app($0)?.ports.first?.nodeName }
            model.connect(SoakModel.Edge(source: ports[0], destination: ports[1]))
        }
        try await converge(within: .seconds(20))
    }

    /// Starts an app's process, with ports of its choice.
    func start(_ app: SoakApp) async throws {
        let ports = layout(of: app)
        log.write("start \(app.name) with \(ports.map(\.name))")
        try await app.start(ports, on: stage.daemon)
        model.add(ports)
    }

    private func layout(of app: SoakApp) -> [SoakPort] {
        func port(_ name: String, _ kind: PortKind) -> SoakPort { SoakPort(app: app.name, name: name, kind: kind) }
        switch app.name {
        case "SteadyA": return [port("out", .sender)]
        case "SteadyB": return [port("fx", .filter)]
        case "SteadyC": return [port("in", .receiver)]
        default: break
        }
        if app.isForeign { return [SoakPort(app: app.name, name: "out", kind: .sender, isForeign: true)] }
        let (out, fx, input) = (port("out", .sender), port("fx", .filter), port("in", .receiver))
        let layouts = [
            [out], [out, port("out2", .sender)], [fx], [fx, port("fx2", .filter)], [input], [out, input],
            [out, fx, input], [fx, input],
        ]
        return layouts.randomElement(using: &random) ?? [out]
    }

    /// A process has ended: its ports are gone, and so are their connections.
    func restart(_ app: SoakApp) async throws {
        try await app.waitForEnd()
        model.appEnded(app.name)
        try await start(app)
    }

    /// Apps that faults are meant for.
    var victims: [SoakApp] { stage.apps.filter { !$0.isForeign && !$0.name.hasPrefix("Steady") } }

    func logEvents() async {
        for app in stage.apps {
            guard app.isRunning, let events = try? await app.peer?.events() else { continue }
            for event in events { log.write("\(app.name) saw: \(event)") }
        }
    }
}
