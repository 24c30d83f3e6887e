// SPDX-License-Identifier: MIT
import Foundation
import SeededRandom
import XCTest

@testable import PipeWireClient

/// Timers on a loop of their own.
private actor TimerBench {
    struct Planned {
        var timer: LoopTimer
        /// The time at which it is due is between these two.
        var due: ClosedRange<ContinuousClock.Instant>
    }

    nonisolated let loop: PipeWireLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var timers: [Int: Planned] = [:]
    private var fired: [Int] = []
    private var countdown = 0

    init(_ loop: PipeWireLoop) { self.loop = loop }

    private func start(_ number: Int, after delay: Duration) {
        let before = ContinuousClock.now
        let timer = LoopTimer(on: loop, after: delay) { [unowned self] in
            assumeIsolated { $0.fired.append(number) }
        }
        timers[number] = Planned(timer: timer, due: before + delay...ContinuousClock.now + delay)
    }

    private func arm(_ number: Int, after delay: Duration) {
        let before = ContinuousClock.now
        timers[number]?.timer.arm(after: delay)
        timers[number]?.due = before + delay...ContinuousClock.now + delay
    }

    /// Starts timers, and cancels, disarms and arms some of them again.
    ///
    /// - Returns: those that must fire.
    func startMany(seed: UInt64) -> Set<Int> {
        var random = SeededGenerator(seed: seed)
        var expected: Set<Int> = []
        for number in 0..<600 {
            start(number, after: .microseconds(Int.random(in: 0...50_000, using: &random)))
            expected.insert(number)
            let other = Int.random(in: 0...number, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                timers[other]?.timer.cancel()
                expected.remove(other)
            case 1:
                timers[other]?.timer.disarm()
                expected.remove(other)
            case 2:
                guard expected.contains(other) else { break }
                arm(other, after: .microseconds(Int.random(in: 0...50_000, using: &random)))
            default: break
            }
        }
        return expected
    }

    func checkOrder() {
        let dues = fired.compactMap { timers[$0]?.due }
        for (one, next) in zip(dues, dues.dropFirst()) { XCTAssertLessThanOrEqual(one.lowerBound, next.upperBound) }
    }

    var firedSoFar: [Int] { fired }

    func end() { timers = [:] }

    // MARK: Timers that arm themselves

    func startOneThatArmsItself(_ count: Int) {
        countdown = count
        let timer = LoopTimer(on: loop, after: .zero) { [unowned self] in assumeIsolated { $0.again() } }
        timers[0] = Planned(timer: timer, due: .now ... .now)
    }

    private func again() {
        countdown -= 1
        fired.append(countdown)
        if countdown > 0 { timers[0]?.timer.arm(after: .zero) }
    }
}

final class LoopTimerTests: XCTestCase {
    private func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    func testEachTimerFiresOnceInOrderUnlessItIsCancelled() async throws {
        for seed in UInt64(1)...5 {
            let bench = TimerBench(try PipeWireLoop())
            // In one job, so that nothing fires meanwhile.
            let expected = await bench.startMany(seed: seed)
            let deadline = ContinuousClock.now + .seconds(10)
            while await bench.firedSoFar.count < expected.count, ContinuousClock.now < deadline { await Task.yield() }
            await bench.checkOrder()
            let fired = await bench.firedSoFar
            XCTAssertEqual(fired.count, expected.count, "seed \(seed)")
            XCTAssertEqual(Set(fired), expected, "seed \(seed)")
            await bench.end()
            bench.loop.stop()
        }
    }

    func testTimersTakeNoDescriptors() async throws {
        let bench = TimerBench(try PipeWireLoop())
        let before = try descriptors()
        _ = await bench.startMany(seed: 7)
        XCTAssertLessThan(try descriptors(), before + 10)
        await bench.end()
        bench.loop.stop()
    }

    /// A timer without a delay does not keep the loop from its jobs.
    func testATimerMayArmItselfAgain() async throws {
        let bench = TimerBench(try PipeWireLoop())
        await bench.startOneThatArmsItself(1000)
        let deadline = ContinuousClock.now + .seconds(10)
        while await bench.firedSoFar.last != 0, ContinuousClock.now < deadline { await Task.yield() }
        let fired = await bench.firedSoFar
        XCTAssertEqual(fired, (0..<1000).reversed())
        await bench.end()
        bench.loop.stop()
    }
}
