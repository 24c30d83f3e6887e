// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source, a filter, a receiver behind it, another filter to be put in before the first, and the client that does so.
struct FilterInsertion {
    let stage: Stage
    let hearing = Hearing()
    let source: SenderPort
    /// The one that is put in and taken out.
    let inserted: FilterPort
    /// The destination.
    let filter: FilterPort
    let receiver: ReceiverPort
    let patchbay: BusClient

    /// - Parameters:
    ///   - age: the latency of the source.
    ///   - frames: that of the filter that is put in.
    ///   - make: makes the destination, "amp".
    init(
        age: Int = 0, by frames: Int = 0, gain: Float = 1, isForeign: Bool = false, channels: ChannelLayout = .mono,
        installation: PipeWireInstallation = .chosen, signal: @escaping Stage.Signal = Stage.saw,
        make: (BusClient) async throws -> FilterPort = { try await FilterInsertion.plain(on: $0) }
    ) async throws {
        stage = try await Stage.start(installation: installation)
        source = try await stage.sender("source", channels: channels, latency: age, signal)
        inserted = try await stage.delay("filter", channels: channels, by: frames, gain: gain)
        filter = try await make(stage.taker)
        receiver = try await hearing.mixed(on: stage.taker, channels: channels)
        patchbay = try await stage.patchbay(isForeign: isForeign)
        try await stage.taker.connect(source, to: filter)
        try await stage.taker.connect(filter, to: receiver)
        try await stage.step(256, cycles: 30)
    }

    /// A filter that passes its input on.
    static func plain(
        on client: BusClient, channels: ChannelLayout = .mono, fade: Fade = .standard
    ) async throws -> FilterPort {
        try await client.filter("amp", inputs: channels, fade: fade, state: ()) { _, _, input, output in
            for channel in 0..<output.count {
                let from = input[channel]
                output.fill(channel) { frame in from[frame] }
            }
        }
    }

    func insert() async throws {
        try await stage.stepping(256) { [patchbay] in
            try await patchbay.insert("Givers.filter", from: "Givers.source", to: "Taker.amp")
        }
    }

    func takeOut() async throws {
        try await stage.stepping(256) { [patchbay] in try await patchbay.takeOut("Givers.filter") }
    }

    /// Those of a second source aside.
    var connections: Set<String> {
        get async { await patchbay.connectionNames.filter { !$0.hasPrefix("Givers.key") } }
    }

    /// Runs cycles until the receiver knows that its sound has this age, and a receiver may have followed that.
    func settle(at frames: Int) async throws {
        try await stage.stepping(256) {
            try await eventually("a latency of \(frames)") {
                try await receiver.sources.map(\.latency.frames) == [frames]
            }
        }
        try await stage.step(256, cycles: 40)
    }

    static let inPlace: Set = ["Givers.source Taker.amp", "Taker.amp Taker.in"]
    static let withFilter: Set = ["Givers.source Givers.filter", "Givers.filter Taker.amp", "Taker.amp Taker.in"]

    /// All nodes, those too that are in no graph.
    func nodes() async throws -> Set<String> {
        let dump = try await GraphDump.take(stage.graph)
        return Set(dump.objects.filter { $0.type == "Node" }.compactMap { $0.properties["node.name"] })
    }

    /// Puts the filter in and takes it out, several times.
    func exchange(rounds: Int, file: StaticString = #filePath, line: UInt = #line) async throws {
        for round in 0..<rounds {
            try await insert()
            let inserted = await connections
            XCTAssertEqual(inserted, Self.withFilter, "\(round)", file: file, line: line)
            try await stage.step(256, cycles: 2)
            try await takeOut()
            let takenOut = await connections
            XCTAssertEqual(takenOut, Self.inPlace, "\(round)", file: file, line: line)
        }
    }

    func assertWhole(
        _ signal: Stage.Signal = Stage.saw, from first: Int64 = 2048, file: StaticString = #filePath,
        line: UInt = #line
    ) {
        hearing.assertWhole(signal, from: first, file: file, line: line)
    }

    func close() async throws { try await stage.close(patchbay) }
}
