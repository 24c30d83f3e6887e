// SPDX-License-Identifier: MIT
import AudioKernels
import Glibc
import SeededRandom

/// A graph and an app with clocks of their own, in virtual time, and a matcher that sees of them what it would really
/// see.
///
/// The clocks are exact. The matcher learns of them from threads that wake when they can. A step is a block of the
/// app: of the graph's cycles only those count that are the newest at such a time.
struct ClockSimulation {
    var scene: ClockScene
    var matcher: ClockMatcher
    private(set) var findings: ClockFindings

    /// The app's clock: seconds of virtual time, and frames.
    private var time = 1000.0
    private var position: Int64 = 1 << 33
    /// Where the app is in the ring.
    private var ring: Int64 = 0
    private var fraction = 0.0
    /// A cycle of the graph as its clock has it, from which the others are counted, and the number of such changes.
    private var cycle = (time: 999.0, position: Int64(1) << 40, number: UInt64(0))

    private var random: SeededGenerator
    private let seed: UInt64
    private var stall = (start: 0.0, end: 0.0)
    private var lastCall = 0.0
    private var nextDrift = 1001.0
    /// The delay to keep, in seconds: what is needed without stalls, and 4 ms.
    private let target: Double

    init(_ scene: ClockScene, seed: UInt64) {
        self.scene = scene
        self.seed = seed &* 1_000_003
        random = SeededGenerator(seed: seed)
        let isReading = scene.direction == .reading
        let length = isReading ? Double(scene.block) / scene.appRate : Double(scene.quantum) / scene.graphRate
        target = length * 1.001 + 0.004
        matcher = ClockMatcher(
            scene.direction, graphRate: scene.graphRate, appRate: scene.appRate, target: target)
        findings = ClockFindings(start: time)
        planStall()
    }

    private var graphRate: Double { scene.graphRate * (1 + scene.graphOffset * 1e-6) }
    private var appRate: Double { scene.appRate * (1 + scene.offset * 1e-6) }

    mutating func run(seconds: Double) {
        let end = time + seconds
        while time < end { call() }
    }

    /// Lets the worst values begin anew.
    mutating func startFindings() { findings = ClockFindings(start: time) }

    /// Lets the app read or write a block.
    mutating func call() {
        let now = callTime()
        let cycle = noteGraph(at: now)
        let move = matcher.noteApp(
            position: position, ringPosition: ring, fraction: fraction, nanoseconds: UInt64(now * 1e9))
        ring += Int64(move)
        if move != 0 { findings.moves += 1 }
        let step = Double(scene.block) * matcher.ratio
        judge(cycle, step)
        fraction += step
        ring += Int64(fraction)
        fraction -= fraction.rounded(.towardZero)
        position += Int64(scene.block)
        time += Double(scene.block) / appRate
        while time > nextDrift { drift() }
    }

    private mutating func judge(_ newest: Int64, _ step: Double) {
        let isReading = scene.direction == .reading
        let lead = (Double(cycle.position - ring) - fraction) / graphRate + time - cycle.time
        findings.note(
            time, isLocked: matcher.isLocked, delay: (isReading ? lead : -lead) - target,
            pitch: matcher.ratio * appRate / graphRate - 1)
        // A reader takes its block from what is there. A writer must have written what the last cycle took.
        let end = Double(newest + Int64(scene.quantum) - ring) - fraction
        if matcher.isLocked, isReading ? end < step : end > 0 { findings.underruns += 1 }
    }

    private mutating func unit() -> Double { Double(random.next() >> 11) * 0x1p-53 }

    // MARK: Threads

    private mutating func callTime() -> Double {
        var now = time + scene.jitter * (2 * unit() - 1)
        if now > stall.start {
            if now < stall.end { now = stall.end } else { planStall() }
        }
        lastCall = max(now, lastCall)
        return lastCall
    }

    private mutating func planStall() {
        let start = scene.hasStalls ? time - 10 * log(1 - unit()) : .infinity
        stall = (start, start + 0.005 + 0.045 * unit())
    }

    /// Notes the newest cycle whose thread has come by.
    ///
    /// - Returns: its position.
    private mutating func noteGraph(at now: Double) -> Int64 {
        let length = Double(scene.quantum) / graphRate
        var steps = Int64(((now - cycle.time) / length).rounded(.down))
        while wakeUp(ofCycle: steps) > now { steps -= 1 }
        // Sometimes the one before as well, which it may have noted then.
        if steps & 7 == 0 { note(cycle: steps - 1) }
        note(cycle: steps)
        return cycle.position + steps * Int64(scene.quantum)
    }

    private mutating func note(cycle steps: Int64) {
        matcher.noteGraph(
            position: cycle.position + steps * Int64(scene.quantum),
            nanoseconds: UInt64(wakeUp(ofCycle: steps) * 1e9))
    }

    private func wakeUp(ofCycle steps: Int64) -> Double {
        var random = SeededGenerator(seed: seed &+ cycle.number << 32 &+ UInt64(bitPattern: steps))
        let late = -scene.wakeUp * log(1 - Double(random.next() >> 11) * 0x1p-53)
        return cycle.time + Double(steps) * Double(scene.quantum) / graphRate + late
    }

    private mutating func drift() {
        nextDrift += 1
        guard scene.drift > 0 else { return }
        let change = unit() < 0.5 ? scene.drift : -scene.drift
        scene.offset = min(max(scene.offset + change, -500), 500)
    }

    // MARK: Accidents

    /// Holds the app's thread up from now on.
    mutating func holdUp(seconds: Double) { stall = (time - 1, time + seconds) }

    /// Lets the app stand still, its clock with it.
    mutating func pauseApp(seconds: Double) { time += seconds }

    /// Lets the app's position be another one.
    mutating func moveApp(frames: Int64) { position += frames }

    /// Lets the graph be later from now on.
    mutating func delayGraph(seconds: Double) { cycle.time += seconds }

    /// Lets the graph's position be another one.
    mutating func moveGraph(frames: Int64) { cycle.position += frames }

    mutating func changeQuantum(to quantum: Int) {
        let length = Double(scene.quantum) / graphRate
        let steps = ((time - cycle.time) / length).rounded(.down)
        cycle.time += steps * length
        cycle.position += Int64(steps) * Int64(scene.quantum)
        cycle.number += 1
        scene.quantum = quantum
    }
}
