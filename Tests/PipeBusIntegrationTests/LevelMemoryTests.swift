// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Levels are the receiver's memory of its sources: they come back with the source, the port and the app.
final class LevelMemoryTests: BusTestCase {
    func testTheyOutliveThePort() async throws {
        let stage = try await Stage.start()
        let hearing = Hearing()
        var receiver = try await hearing.mixed(on: stage.taker)
        let sender = try await stage.sender("out") { _, _ in 1 }
        try await stage.taker.connect(sender, to: receiver)
        try await receiver.setVolume(0.25, for: sender.id)
        await receiver.close()
        await assertThrows("a level at a closed port", { try await receiver.level(of: sender.id) }) { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .closed, "\(error)")
        }
        // Another name is another memory.
        let other = try await hearing.mixed(on: stage.taker, "other")
        try await stage.taker.connect(sender, to: other)
        var level = try await other.level(of: sender.id)
        XCTAssertEqual(level, Source.Level())
        await other.close()
        hearing.forget()
        receiver = try await hearing.mixed(on: stage.taker)
        try await stage.taker.connect(sender, to: receiver)
        level = try await receiver.level(of: sender.id)
        XCTAssertEqual(level, Source.Level(volume: 0.25))
        try await stage.step(64)
        XCTAssertEqual(Set(hearing.mix()), [0.25], "from the first frame on")
        try await stage.close()
    }

    func testThoseGivenAtTheStartHoldFromTheFirstFrameOn() async throws {
        let stage = try await Stage.start()
        let sender = try await stage.sender("out") { _, _ in 1 }
        var saved = SourceLevels()
        saved[Source.Identity(applicationID: "org.pipebus.givers", nodeName: sender.nodeName)] = Source.Level(
            volume: 0.5)
        let receiver = try await stage.taker.receiver(
            "in", channels: .mono, levels: saved, state: ()
        ) { _, _, _ in }
        // A source as it comes from `sources` will do to connect, disconnect and set.
        try await stage.taker.connect(sender.id, to: receiver.id)
        let sources = try await receiver.sources
        XCTAssertEqual(sources.map(\.level), [Source.Level(volume: 0.5)])
        try await stage.taker.setLevel(.muted(true), of: sources[0], at: receiver.id)
        let level = try await receiver.level(of: sender.id)
        XCTAssertEqual(level, Source.Level(volume: 0.5, isMuted: true))
        try await receiver.setTag(7, for: sender.id)
        let tags = try await receiver.sources.map(\.tag)
        XCTAssertEqual(tags, [7])
        try await stage.taker.disconnect(sources[0], from: receiver)
        try await stage.close()
    }

    func testTheyAreSavedAndGivenToTheNextRunOfTheApp() async throws {
        let stage = try await Stage.start()
        let first = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let senders = [
            try await stage.sender("a") { _, _ in 1 }, try await stage.sender("b") { _, _ in 10 },
            try await stage.sender("c") { _, _ in 100 },
        ]
        for (sender, volume) in zip(senders, [0.5, 0.25, 1]) {
            try await stage.taker.connect(sender, to: first)
            try await first.setVolume(volume, for: sender.id)
        }
        let saved = try JSONEncoder().encode(try await first.levels)
        await stage.taker.close()

        let again = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: stage.graph.remote, allowsConnectionsToSelf: true)
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: again)
        // One is there already when they are given back, the others come later.
        try await again.connect(senders[0], to: receiver)
        try await receiver.setMuted(true, for: senders[0].id)
        try await receiver.restore(try JSONDecoder().decode(SourceLevels.self, from: saved))
        try await again.connect(senders[1], to: receiver)
        try await again.connect(senders[2], to: receiver)
        let levels = try await receiver.sources.map(\.level)
        XCTAssertEqual(levels, [Source.Level(volume: 0.5), Source.Level(volume: 0.25), Source.Level()])
        try await stage.step(64)
        XCTAssertEqual(Set(hearing.mix()), [0.5 + 2.5 + 100])
        let known = try await receiver.levels
        XCTAssertEqual(Set(known.sources.map(\.nodeName)), ["Givers.a", "Givers.b"], "the default needs no place")
        await again.close()
        try await stage.close()
    }
}
