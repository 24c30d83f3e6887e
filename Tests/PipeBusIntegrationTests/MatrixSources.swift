// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import Synchronization

/// Three sources of ``NumberedSound``, which are connected to a receiver and disconnected, and count what they make.
final class MatrixSources: Sendable {
    private let stage: Stage
    private let input: ReceiverPort
    private let ports: [SenderPort]
    private let made: Box<[Int]>
    private let connected = Box<Set<Int>>([])

    init(_ stage: Stage, to input: ReceiverPort) async throws {
        self.stage = stage
        self.input = input
        let made = Box([Int](repeating: 0, count: NumberedSound.sourceCount))
        self.made = made
        var ports: [SenderPort] = []
        for source in 0..<NumberedSound.sourceCount {
            let port = try await stage.givers.sender("out\(source)", channels: .stereo, state: ()) { _, cycle, output in
                for channel in 0..<2 {
                    var samples = output[channel]
                    NumberedSound.channels[channel].fill(&samples, of: source, from: Int64(cycle.position))
                }
                made.value[source] += cycle.frameCount
            }
            try await eventually("\(port.nodeName) to be seen") { await stage.taker.graph.port(port.id) != nil }
            ports.append(port)
        }
        self.ports = ports
    }

    /// Number of frames that each source has made.
    var madeFrames: [Int] { made.value }
    var areAnyConnected: Bool { !connected.value.isEmpty }
    /// Number of those that are connected; `nil` without any.
    var presentCount: Int? { areAnyConnected ? connected.value.count : nil }

    /// Connects one that is not, or disconnects one that is.
    func toggle(_ source: Int) async throws {
        if connected.value.contains(source) {
            try await stage.taker.disconnect(ports[source], from: input)
            connected.value.remove(source)
        } else {
            try await stage.taker.connect(ports[source], to: input)
            connected.value.insert(source)
        }
    }

    /// Connects or disconnects a source at random, or disconnects all.
    func change(using numbers: inout SeededGenerator) async throws {
        if areAnyConnected, Int.random(in: 0..<4, using: &numbers) == 0 { return try await disconnectAll() }
        try await toggle(Int.random(in: 0..<ports.count, using: &numbers))
    }

    func disconnectAll() async throws {
        for source in connected.value.sorted() { try await toggle(source) }
    }
}
