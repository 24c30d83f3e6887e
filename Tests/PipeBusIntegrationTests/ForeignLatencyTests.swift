// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// Latency of and through programs that know nothing of PipeBus.
final class ForeignLatencyTests: BusTestCase {
    private struct Scene {
        let graph: SteppedGraph
        let bus: BusClient
        let filter: FilterPort
        let receiver: ReceiverPort

        static func start(
            _ installation: PipeWireInstallation, recorder: CallRecorder? = nil
        ) async throws -> Scene {
            let graph = try await SteppedGraph.start(installation: installation)
            let bus = try await BusClient.connect(
                as: "org.pipebus.test", name: "Test", remote: graph.remote, allowsConnectionsToSelf: true,
                recorder: recorder)
            let filter = try await bus.filter("fx", inputs: .mono, latency: 480, state: ()) { _, _, _, _ in }
            let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
            return Scene(graph: graph, bus: bus, filter: filter, receiver: receiver)
        }

        func expectLatency(
            _ range: ClosedRange<Int>, _ what: String, file: StaticString = #filePath, line: UInt = #line
        )
            async throws
        {
            do {
                try await eventually("\(range) \(what)", within: .seconds(5)) {
                    try await receiver.sources.first?.latencyRange.frames == range
                }
            } catch {
                let ranges = try await receiver.sources.map(\.latencyRange.frames)
                XCTFail("\(what): \(ranges) instead of \(range)", file: file, line: line)
            }
        }

        func close() async throws {
            await bus.close()
            try await graph.close()
        }
    }

    private func onBoth(_ check: (PipeWireInstallation) async throws -> Void) async throws {
        try await check(.chosen)
        if let newer = try? PipeWireInstallation.newer() { try await check(newer) }
    }

    func testForeignSendersAndFiltersCount() async throws {
        try await onBoth { installation in
            let scene = try await Scene.start(installation)
            let sender = try ForeignFilter(
                "sender", at: scene.graph.remote, hasInput: false, sums: false, latency: 1000)
            let sums = try ForeignFilter("sums", at: scene.graph.remote, latency: 200)
            try await scene.bus.connect("sender", to: "sums")
            try await scene.bus.connect("sums", to: scene.filter)
            try await scene.bus.connect(scene.filter, to: scene.receiver)
            try await scene.expectLatency(1680...1680, "the chain")
            sender.setLatency(3000)
            try await scene.expectLatency(3680...3680, "another latency of the sender")
            sums.setLatency(300)
            sender.setLatency(4000)
            try await scene.expectLatency(4780...4780, "another latency of both")
            try await scene.bus.disconnect("sums", from: scene.filter)
            try await scene.expectLatency(480...480, "cut off")
            sums.setLatency(100)
            try await scene.bus.connect("sums", to: scene.filter)
            try await scene.bus.disconnect("sender", from: "sums")
            try await scene.bus.connect("sender", to: "sums")
            try await scene.expectLatency(4580...4580, "linked again")
            // Behind our own.
            try await scene.bus.disconnect(scene.filter, from: scene.receiver)
            try await scene.bus.disconnect("sums", from: scene.filter)
            try await scene.bus.disconnect("sender", from: "sums")
            try await scene.bus.connect("sender", to: scene.filter)
            try await scene.bus.connect(scene.filter, to: "sums")
            try await scene.bus.connect("sums", to: scene.receiver)
            try await scene.expectLatency(4580...4580, "the foreign filter behind ours")
            try await scene.filter.setLatency(10)
            try await scene.expectLatency(4110...4110, "another latency of ours")
            try await scene.close()
        }
    }

    /// A filter that publishes its own latency alone says nothing about its sources, and is believed.
    func testAFilterThatDoesNotSum() async throws {
        try await onBoth { installation in
            let scene = try await Scene.start(installation)
            let sender = try ForeignFilter(
                "sender", at: scene.graph.remote, hasInput: false, sums: false, latency: 1000)
            let alone = try ForeignFilter("alone", at: scene.graph.remote, sums: false, latency: 200)
            try await scene.bus.connect("sender", to: "alone")
            try await scene.bus.connect("alone", to: scene.receiver)
            try await scene.expectLatency(200...200, "its own")
            alone.setLatency(300)
            try await scene.expectLatency(300...300, "another one")
            _ = sender
            try await scene.close()
        }
    }

    /// The foreign filter adds up the latency of the loop. PipeBus's values stay right, and the reports come to an end.
    func testALoopThroughAForeignFilter() async throws {
        enum Step: CaseIterable { case into, forth, back, out }
        let orders: [[Step]] = [
            [.into, .forth, .back, .out], [.into, .back, .forth, .out], [.back, .forth, .into, .out],
            [.out, .forth, .back, .into], [.forth, .out, .into, .back],
        ]
        try await onBoth { installation in
            for (number, order) in orders.enumerated() {
                let recorder = CallRecorder()
                let scene = try await Scene.start(installation, recorder: recorder)
                let (bus, filter) = (scene.bus, scene.filter)
                let sender = try ForeignFilter(
                    "sender", at: scene.graph.remote, hasInput: false, sums: false, latency: 1000)
                let foreign = try ForeignFilter("foreign", at: scene.graph.remote, latency: 200)
                for step in order {
                    switch step {
                    case .into: try await bus.connect("sender", to: "foreign")
                    case .forth: try await bus.connect("foreign", to: filter)
                    case .back: try await bus.connect(filter, to: "foreign")
                    case .out: try await bus.connect(filter, to: scene.receiver)
                    }
                    try await scene.graph.settle()
                }
                try await scene.graph.step([(256, 1)])
                let isForthLate = order.firstIndex(of: .forth)! > order.firstIndex(of: .back)!
                let added = isForthLate ? 256 : 0
                try await scene.expectLatency(1680 + added...1680 + added, "order \(number)")
                for latency in [50, 2000, 0, 800, 9000, 1000] {
                    sender.setLatency(latency)
                    let all = latency + 680 + added
                    try await scene.expectLatency(all...all, "order \(number), the sender's \(latency)")
                }
                try await filter.setLatency(20)
                try await scene.expectLatency(1220 + added...1220 + added, "order \(number), ours")
                try await filter.setLatency(4000)
                try await scene.expectLatency(5200 + added...5200 + added, "order \(number), ours again")
                try await scene.graph.settle()
                let publications = recorder.calls.count { $0 == "pw_filter_update_params" }
                for _ in 0..<20 { try await scene.graph.settle() }
                XCTAssertEqual(
                    recorder.calls.count { $0 == "pw_filter_update_params" }, publications,
                    "order \(number): it goes on")
                XCTAssertLessThan(publications, 200, "order \(number)")
                _ = foreign
                try await scene.close()
            }
        }
    }
}
