// SPDX-License-Identifier: MIT
import PipeBus
import RealtimeKit

/// The states that the ports are taken through, one after the other.
struct Journey {
    let graph: SteppedGraph
    let bus: BusClient
    let ports: Ports
    /// Number of cycles in each state.
    let cycles: Int

    /// So short that a ramp and a fade last for many, so long that one is over within a cycle, and all that differs.
    let quanta: [UInt32] = [16, 64, 1000, 8192, 256, 16, 333]

    func run() async throws {
        // Unconnected, and nodes that run only because another one of their group does.
        try graph.run(cycles)
        try await bus.connect(ports.sender, to: ports.filter)
        try graph.run(cycles)
        // It matters to no other port: it exists so that it runs.
        try await bus.connect(ports.answer, to: ports.receivers[2])
        try await bus.connect(ports.written, to: ports.sink)
        try await bus.connect(ports.live, to: ports.sink)
        try await ports.blocks.connect(to: ports.sink, on: bus)
        // One lane, which is handed on as it is; then two, which are summed, one of them mono.
        try await connect(ports.filter)
        try graph.run(cycles)
        try await connect(ports.second)
        try graph.run(cycles)
        try graph.run(cycles, quanta: quanta)
        try await monitor()
        try await bypass()
        try await changeLatencies()
        try await changeKeys()
        try await realign()
        try await spoil()
        try await changeLevels()
        try await changeParameters()
        try await changeLanes()
        try await measure()
        try await ports.mixed.setTitle("Renamed while running")
        try await endMonitoring()
        try await bus.disconnect(ports.sender, from: ports.filter)
        try graph.run(cycles)
        try await disconnect(ports.filter)
        try graph.run(cycles)
    }

    /// A patchbay's meters come beside the receivers, and go.
    private func measure() async throws {
        let meters = try await bus.meterReceiver("meters", lanes: 2)
        try await bus.connect(ports.sender, to: meters)
        try await bus.connect(ports.second, to: meters)
        try graph.run(cycles / 4, quanta: quanta)
        try await bus.disconnect(ports.second, from: meters)
        try graph.run(8, quanta: quanta)
        await meters.close()
    }

    func connect(_ source: LocalPort) async throws {
        for receiver in ports.receivers { try await bus.connect(source, to: receiver) }
    }

    func disconnect(_ source: LocalPort) async throws {
        for receiver in ports.receivers {
            try await stepping { [bus] in try await bus.disconnect(source, from: receiver) }
        }
    }

    private var monitored: [ReceiverPort] { [ports.mixed, ports.receivers[1]] }

    /// Two receivers play their mixes by themselves: first one, then the other, with fades in between. The first goes on in the
    /// states that follow.
    ///
    /// Links are made and removed here by the app itself, so each change is waited for among cycles that may be unfinished.
    private func monitor() async throws {
        try await graph.addDevice("speakers")
        for receiver in monitored {
            try await stepping { try await receiver.setMonitorsAutomatically(true) }
            try await waitUntilPlayed(ports.mixed)
        }
        try graph.run(cycles, quanta: quanta)
        for _ in 0..<3 {
            for receiver in monitored {
                try await stepping { try await receiver.setMonitorsAutomatically(false) }
                // The other one takes over, and the older one takes back.
                try await waitUntilPlayed(receiver === ports.mixed ? monitored[1] : ports.mixed)
                try graph.run(cycles / 4, quanta: quanta)
                try await stepping { try await receiver.setMonitorsAutomatically(true) }
                try await waitUntilPlayed(ports.mixed)
                try graph.run(cycles / 8, quanta: [16])
            }
            // Sound is cut off, and begins, while it is played.
            try await disconnect(ports.second)
            try await disconnect(ports.filter)
            try await connect(ports.filter)
            try await connect(ports.second)
            try await waitUntilPlayed(ports.mixed)
            try graph.run(cycles / 8, quanta: quanta)
        }
    }

    private func endMonitoring() async throws {
        for receiver in monitored.reversed() {
            try await stepping { try await receiver.setMonitorsAutomatically(false) }
        }
    }

    /// Runs cycles until this receiver alone is played.
    private func waitUntilPlayed(_ receiver: ReceiverPort) async throws {
        try await stepping { [bus] in
            for await graph in bus.graphUpdates
            where graph.ports.filter(\.isMonitoring).map(\.id) == [receiver.graphID] { return }
        }
    }

    /// A filter and one that works in place are bypassed and not, in the middle of each other's fades and with cycles of
    /// all lengths.
    private func bypass() async throws {
        try await bus.connect(ports.second, to: ports.inPlace)
        try await bus.connect(ports.inPlace, to: ports.mixed)
        try await bus.connect(ports.second, to: ports.fading)
        try await bus.connect(ports.fading, to: ports.mixed)
        for round in 0..<8 {
            for filter in [ports.filter, ports.inPlace, ports.fading] + ports.blocks.filters {
                try await filter.setBypassed(round.isMultiple(of: 2))
                try graph.run(round < 4 ? 3 : cycles / 16, quanta: round.isMultiple(of: 3) ? [16] : quanta)
            }
        }
        try await ports.inPlace.setBypassed(true)
        try graph.run(cycles / 8, quanta: quanta)
        try await ports.inPlace.setBypassed(false)
        try graph.run(cycles / 8, quanta: [64])
        for filter in [ports.inPlace, ports.fading] {
            // Cut off, and in the middle of that again there.
            for quantum: UInt32 in [16, 64, 8192] {
                try await bus.disconnect(ports.second, from: filter)
                try graph.run(3, quanta: [quantum])
                try await bus.connect(ports.second, to: filter)
                try graph.run(3, quanta: [quantum])
            }
            try await stepping { [bus, ports] in try await bus.disconnect(filter, from: ports.mixed) }
            try await bus.disconnect(ports.second, from: filter)
        }
    }

    /// A source comes that the others have to wait for, and goes: their delays are faded into others, there and back.
    private func changeLatencies() async throws {
        for round in 0..<4 {
            try await connect(ports.late)
            try graph.run(cycles / 4, quanta: round.isMultiple(of: 2) ? quanta : [64])
            try await disconnect(ports.late)
            try graph.run(cycles / 4, quanta: round.isMultiple(of: 2) ? [64] : quanta)
        }
    }

    /// Sources come and go at every input of filters with auxiliary ones, late ones and others, so that each input waits for the
    /// others in turn.
    private func changeKeys() async throws {
        for filter in ports.side.filters {
            try await bus.connect(filter, to: ports.sink)
            for (first, second) in [(ports.second, ports.late), (ports.late, ports.second)] {
                try await bus.connect(first, to: filter)
                try graph.run(cycles / 8, quanta: quanta)
                for input in filter.auxiliaryInputs { try await bus.connect(second, to: input) }
                try graph.run(cycles / 4, quanta: quanta)
                for isBypassed in [true, false] {
                    try await filter.setBypassed(isBypassed)
                    try graph.run(cycles / 8, quanta: quanta)
                }
                for input in filter.auxiliaryInputs {
                    try await stepping { [bus] in try await bus.disconnect(second, from: input) }
                }
                try await bus.disconnect(first, from: filter)
            }
            try await stepping { [bus, ports] in try await bus.disconnect(filter, from: ports.sink) }
        }
    }

    /// Latency that is held for a source that has gone is given up: in silence, with a crossfade when asked, and neither
    /// while a source is heard.
    private func realign() async throws {
        for round in 0..<4 {
            try await connect(ports.late)
            try graph.run(cycles / 4, quanta: quanta)
            try await disconnect(ports.late)
            try graph.run(cycles / 8, quanta: quanta)
            try check(ports.mixed.latency.duration > .milliseconds(90), "no latency was held: \(ports.mixed.latency)")
            if round.isMultiple(of: 2) {
                ports.loudness.value = 0
            } else {
                for receiver in ports.receivers { try await receiver.realign() }
            }
            try graph.run(cycles / 2, quanta: round < 2 ? quanta : [16, 64])
            try graph.run(2, quanta: [8192])
            ports.loudness.value = 1
            try graph.run(cycles / 8, quanta: quanta)
            try check(
                ports.mixed.latency.duration < .milliseconds(90), "latency was not given up: \(ports.mixed.latency)")
        }
    }

    /// Blocks of NaN, on steady lanes and in the middle of fades, with delay lines and without.
    private func spoil() async throws {
        let before = try await ports.mixed.statistics.invalidBlocks
        for round in 0..<4 {
            for _ in 0..<8 {
                ports.loudness.value = .nan
                try graph.run(3, quanta: [16, 8192, 333])
                ports.loudness.value = 1
                try graph.run(3, quanta: quanta)
            }
            if round.isMultiple(of: 2) { try await connect(ports.late) } else { try await disconnect(ports.late) }
            ports.loudness.value = .nan
            try graph.run(4, quanta: [16])
            try await disconnect(ports.second)
            ports.loudness.value = 1
            try await connect(ports.second)
            try graph.run(cycles / 8, quanta: quanta)
        }
        let count = try await ports.mixed.statistics.invalidBlocks - before
        try check(count > 50, "only \(count) blocks of NaN were found")
    }

    private func check(_ isTrue: Bool, _ fault: @autoclosure () -> String) throws {
        guard isTrue else { throw PipeBusError(.pipeWire, fault()) }
    }

    /// Each level on its way to the next while cycles of all lengths run.
    private func changeLevels() async throws {
        try await connect(ports.late)
        let levels = [
            Source.Level(volume: 0.5), Source.Level(volume: 1, pan: -1), Source.Level(volume: 0.25, pan: 0.5),
            Source.Level(volume: 1, isMuted: true), Source.Level(volume: 1, isSoloed: true), Source.Level(),
        ]
        for level in levels {
            for receiver in ports.mixing {
                for source in [ports.second.graphID, ports.late.graphID].compactMap(\.self) {
                    try await receiver.setLevel(level, for: source)
                    try graph.run(3, quanta: [16])
                }
            }
            try graph.run(cycles / 6, quanta: quanta)
        }
    }

    /// Values are set while a block reads and ramps them.
    private func changeParameters() async throws {
        try await bus.connect(ports.sender, to: ports.threads)
        try await bus.connect(ports.threads, to: ports.mixed)
        for round in 0..<12 {
            ports.gain.value = round.isMultiple(of: 3) ? .nan : Float(round)
            ports.frequency.value = Double(round / 2)
            ports.isOn.value = round != 5
            try graph.run(cycles / 16, quanta: round.isMultiple(of: 2) ? quanta : [16])
        }
        try await stepping { [bus, ports] in try await bus.disconnect(ports.threads, from: ports.mixed) }
        try await bus.disconnect(ports.sender, from: ports.threads)
    }

    /// Runs cycles for as long as something takes that waits for them.
    func stepping(while work: @escaping @Sendable () async throws -> Void) async throws {
        let isDone = Flag()
        async let result: Void = {
            defer { isDone.raise() }
            try await work()
        }()
        while !isDone.isRaised {
            try graph.runAmongChanges(64)
            await Task.yield()
        }
        try await result
    }
}
