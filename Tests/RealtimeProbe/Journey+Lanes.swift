// SPDX-License-Identifier: MIT
import PipeBus

extension Journey {
    /// Sources come and go in the middle of each other's fades; some are cut off, and what was there dies away, alone or
    /// under the next one on the lane.
    func changeLanes() async throws {
        for _ in 0..<4 {
            try await disconnect(ports.second)
            try await connect(ports.second)
            try graph.run(2, quanta: [16])
            try await disconnect(ports.second)
            try graph.run(cycles / 8, quanta: quanta)
            try await connect(ports.second)
        }
        try graph.run(cycles / 8, quanta: [16])
        await ports.late.close()
        try graph.run(cycles / 8, quanta: [16])
        for round in 0..<4 {
            let late = try await Ports.lateSender(on: bus)
            try await connect(late)
            try graph.run(round == 0 ? 1 : 100, quanta: [16])
            await late.close()
            if round == 2 { try graph.run(2, quanta: [16]) }
        }
        try graph.run(cycles / 8, quanta: quanta)
        for _ in 0..<4 {
            graph.standStill()
            try graph.run(4, quanta: quanta)
            graph.restartClock()
            try graph.run(4, quanta: quanta)
        }
        // A filter takes the place of its source, and the source the filter's, in one cycle.
        for _ in 0..<3 {
            try await stepping { [bus, ports] in
                try await bus.insert(ports.inPlace, from: ports.second, to: ports.mixed)
            }
            try graph.run(8, quanta: quanta)
            try await stepping { [bus, ports] in try await bus.takeOut(ports.inPlace) }
            try graph.run(8, quanta: [16])
        }
        try await exchangeSources()
        // The graph goes on before the ports are done: frames are missed, and the delay lines are filled up.
        try await connect(try await Ports.lateSender(on: bus))
        try graph.run(20)
        for _ in 0..<1000 where try await ports.mixed.statistics.gaps == 0 {
            graph.hurry(20)
            try graph.run(20, quanta: quanta)
        }
        guard try await ports.mixed.statistics.gaps > 0 else {
            throw PipeBusError(.pipeWire, "no port missed a frame, however fast the graph went on")
        }
    }

    /// Sources of filters of all kinds are exchanged: each filter hears a tap of its input meanwhile.
    private func exchangeSources() async throws {
        for filter in [ports.filter, ports.blocks.inPlace] + ports.side.filters {
            try await withSecond(at: filter) {
                for isBypassed in [false, true] {
                    try await filter.setBypassed(isBypassed)
                    try await stepping { [bus, ports] in
                        try await bus.insert(ports.inPlace, from: ports.second, to: filter)
                    }
                    try graph.run(8, quanta: quanta)
                    try await stepping { [bus, ports] in try await bus.takeOut(ports.inPlace) }
                    try graph.run(8, quanta: [16])
                }
                try await filter.setBypassed(false)
            }
        }
        let twin = try await bus.sender("twin", channels: .mono, state: ()) { _, _, output in
            output.fill(0) { _ in 0.5 }
        }
        for filter in [ports.fading, ports.blocks.filter] {
            try await withSecond(at: filter) {
                try await stepping { [bus, ports] in try await bus.replace(ports.second, at: filter, with: twin) }
                try graph.run(8, quanta: quanta)
                try await stepping { [bus, ports] in try await bus.replace(twin, at: filter, with: ports.second) }
            }
        }
        await twin.close()
    }

    /// Connects a filter, which is heard, with a source of one channel for the moment.
    private func withSecond(at filter: FilterPort, _ body: () async throws -> Void) async throws {
        let isHeard = try await !filter.state.destinations.isEmpty
        if !isHeard { try await bus.connect(filter, to: ports.sink) }
        try await bus.connect(ports.second, to: filter)
        try graph.run(8, quanta: [64])
        try await body()
        try await bus.disconnect(ports.second, from: filter)
        if !isHeard { try await stepping { [bus, ports] in try await bus.disconnect(filter, from: ports.sink) } }
    }
}
