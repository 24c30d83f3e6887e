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
}
