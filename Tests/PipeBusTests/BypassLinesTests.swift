// SPDX-License-Identifier: MIT
import Foundation
import SeededRandom
import Synchronization
import XCTest

@testable import PipeBus

/// The memory of a bypass is large, and must neither pile up nor stay.
final class BypassLinesTests: XCTestCase {
    private func run(_ rig: FilterRig, _ frames: Int) -> [Float] {
        let start = Int(rig.position)
        return rig.run(frames) { _ in (start..<start + frames).map { Float($0 % 1_000) / 1_000 } }.outputs[0]
    }

    private func ramp(_ positions: Range<Int>) -> [Float] { positions.map { Float($0 % 1_000) / 1_000 } }

    func testLinesThatAreNeverTakenAreFreed() {
        let rig = FilterRig(latency: 100)
        rig.setBypassed(true)
        for latency in 1...50 { rig.setLatency(latency * 10) }
        XCTAssertEqual(rig.bypass.lineCount, 1)
        // Once it has run, and does not any more.
        for _ in 0..<8 { _ = run(rig, 512) }
        for latency in 1...50 { rig.setLatency(latency * 10) }
        XCTAssertEqual(rig.bypass.lineCount, 2)
        for _ in 0..<8 { _ = run(rig, 512) }
        let start = Int(rig.position)
        XCTAssertEqual(run(rig, 512), ramp(start - 500..<start + 12))
    }

    func testLinesThatAreTakenAndNeverHeardAreFreed() {
        let rig = FilterRig(latency: 100)
        rig.setBypassed(true)
        for _ in 0..<8 { _ = run(rig, 512) }
        // Each is replaced before it is full.
        for latency in 1...50 {
            rig.setLatency(latency * 1_000)
            _ = run(rig, 16)
            XCTAssertLessThanOrEqual(rig.bypass.lineCount, 4)
        }
        // And during a crossfade.
        rig.setLatency(0)
        _ = run(rig, 16)
        for latency in 1...20 {
            rig.setLatency(latency)
            _ = run(rig, 16)
            XCTAssertLessThanOrEqual(rig.bypass.lineCount, 5)
        }
        for _ in 0..<8 { _ = run(rig, 512) }
        let start = Int(rig.position)
        XCTAssertEqual(run(rig, 512), ramp(start - 20..<start + 492))
    }

    func testWhenABypassHasEndedNoLineIsLeft() {
        let rig = FilterRig(latency: 300)
        for round in 0..<3 {
            _ = run(rig, 256)
            rig.setBypassed(true)
            for _ in 0..<8 { _ = run(rig, 512) }
            let start = Int(rig.position)
            XCTAssertEqual(run(rig, 512), ramp(start - 300..<start + 212), "round \(round)")
            rig.setBypassed(false)
            XCTAssertEqual(rig.bypass.lineCount, 1, "it is still heard")
            for _ in 0..<8 { _ = run(rig, 512) }
            rig.publish()
            XCTAssertEqual(rig.bypass.lineCount, 0)
            XCTAssertTrue(rig.isPlain)
        }
        // Wanted again on the way back: the same line goes on.
        rig.setBypassed(true)
        for _ in 0..<8 { _ = run(rig, 512) }
        rig.setBypassed(false)
        _ = run(rig, 64)
        rig.setBypassed(true)
        XCTAssertEqual(rig.bypass.lineCount, 1)
        let start = Int(rig.position)
        XCTAssertEqual(run(rig, 512), ramp(start - 300..<start + 212))
    }

    func testWithoutADestinationItEndsAtOnce() {
        let rig = FilterRig(latency: 300)
        rig.setBypassed(true)
        for _ in 0..<8 { _ = run(rig, 512) }
        rig.setBypassed(false)
        _ = run(rig, 64)
        rig.publish(runs: false)
        XCTAssertEqual(rig.bypass.lineCount, 0)
        // A last cycle of an audio thread that was on its way here.
        rig.publishStale([.runs, .isBypassing])
        var start = Int(rig.position)
        rig.reconnect()
        XCTAssertEqual(run(rig, 512), [Float](repeating: 0, count: 300) + ramp(start..<start + 212).map { -$0 })
        rig.publish()
        XCTAssertTrue(rig.isPlain)
        // And back, with another latency.
        rig.setLatency(10)
        rig.setBypassed(true)
        for _ in 0..<8 { _ = run(rig, 512) }
        start = Int(rig.position)
        XCTAssertEqual(run(rig, 512), ramp(start - 10..<start + 502))
    }

    private final class Flag: Sendable { let value = Atomic(false) }

    /// Both sides at once, as they are.
    func testNoLineIsFreedThatTheAudioThreadHas() {
        let rig = FilterRig(latency: 300)
        let isDone = Flag()
        nonisolated(unsafe) let shared = rig
        let ended = expectation(description: "the audio thread to end")
        Thread {
            var frames = 16
            while !isDone.value.load(ordering: .relaxed) {
                _ = unsafe shared.run(frames) { _ in Array(repeating: 1, count: frames) }
                frames = frames % 700 + 16
            }
            ended.fulfill()
        }.start()
        var generator = SeededGenerator(seed: 11)
        var most = 0
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: rig.setBypassed(true)
            case 1: rig.setBypassed(false)
            case 2: rig.publish(runs: false)
            case 3: rig.publish()
            default: rig.setLatency(Int.random(in: 0...2_000, using: &generator))
            }
            most = max(most, rig.bypass.lineCount)
        }
        rig.setBypassed(false)
        rig.publish(runs: false)
        isDone.value.store(true, ordering: .relaxed)
        wait(for: [ended], timeout: 60)
        rig.publish(runs: false)
        XCTAssertEqual(rig.bypass.lineCount, 0)
        XCTAssertLessThanOrEqual(most, 6)
    }
}
