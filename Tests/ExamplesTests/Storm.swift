// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// Sources of other apps that come and go beside one that is being recorded: they are connected by us and by others, into
/// free lanes and into its own, change their latency, fall silent, give what is no number, and are killed.
final class Storm {
    private let daemon: HeadlessPipeWire
    private let bus: BusClient
    private let recorder: String
    private var random: SeededGenerator
    private var sources: [ClockSender?]
    /// The links of other clients, each once: a link that is made again after it was moved stays.
    private var linked: Set<String> = []
    private var nextNumber = 0
    /// How often each thing was done, to see that it was a storm.
    private(set) var deeds: [String: Int] = [:]

    private static let latencies = [0, 64, 480, 1023, 4800, 12_000, 30_000, 47_000]

    /// - Parameter recorder: the node's name.
    init(on daemon: HeadlessPipeWire, seenBy bus: BusClient, at recorder: String, sources: Int, seed: UInt64) {
        self.daemon = daemon
        self.bus = bus
        self.recorder = recorder
        self.sources = Array(repeating: nil, count: sources)
        random = SeededGenerator(seed: seed)
    }

    /// Goes on for so long. What fails because something has just gone is part of it.
    func rage(for duration: Duration) async throws {
        let end = ContinuousClock.now.advanced(by: duration)
        while ContinuousClock.now < end {
            let place = Int.random(in: sources.indices, using: &random)
            if let source = sources[place] {
                try await disturb(source, at: place)
            } else {
                try await add(at: place)
            }
        }
    }

    /// Ends all sources, in order.
    func calm() async throws {
        for source in sources { source?.process.closeInput() }
        for source in sources { try await source?.process.waitForEnd() }
        sources = []
    }

    private func add(at place: Int) async throws {
        nextNumber += 1
        let latency = Self.latencies.randomElement(using: &random) ?? 0
        let source = try await ClockSender.start("Storm \(nextNumber)", latency: latency, in: daemon.environment())
        sources[place] = source
        note("start")
        try await connect(source)
    }

    private func connect(_ source: ClockSender) async throws {
        if linked.contains(source.name) || Bool.random(using: &random) {
            note("connect")
            do {
                try await bus.connect(source.name, to: recorder)
                note("connected")
            } catch is PipeBusError {}
        } else {
            try await link(source, toLane: Int.random(in: 1...4, using: &random))
        }
    }

    /// As JACK's tools do it: into the first inputs, even if they have a source.
    private func link(_ source: ClockSender, toLane lane: Int) async throws {
        note("link")
        linked.insert(source.name)
        for position in ["FL", "FR"] {
            let tool = try daemon.run(
                "pw-link", ["\(source.name):out_\(position)", "\(recorder):input_\(lane)_\(position)"])
            if try await tool.waitForEnd() == .exited(0) { note("linked") }
        }
    }

    private func disturb(_ source: ClockSender, at place: Int) async throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            note("kill")
            source.process.signal(SIGKILL)
            try await source.process.waitForEnd()
            sources[place] = nil
        case 2:
            note("end")
            source.process.closeInput()
            try await source.process.waitForEnd()
            sources[place] = nil
        case 3, 4, 5:
            note("latency")
            try await source.setLatency(Self.latencies.randomElement(using: &random) ?? 0)
        case 6, 7:
            note("disconnect")
            do { try await bus.disconnect(source.name, from: recorder) } catch is PipeBusError {}
        case 8, 9: try await connect(source)
        case 10:
            note("silence")
            try await source.setSilent(Bool.random(using: &random))
        default:
            note("spoil")
            try await source.spoil(blocks: Int.random(in: 1...20, using: &random))
        }
    }

    private func note(_ deed: String) { deeds[deed, default: 0] += 1 }
}
