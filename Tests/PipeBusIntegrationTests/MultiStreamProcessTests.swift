// SPDX-License-Identifier: MIT
import Foundation
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// Sound of two apps in processes of their own, in real time: a capture and a reader bring it to a multi-stream, each on a thread of
/// its own.
final class MultiStreamProcessTests: DaemonTestCase {
    /// A millisecond, in frames.
    private static let bound = 48.0
    private static let second = 48_000
    private static let blockSize = 480

    /// What the feeding threads are told, and what they count.
    private final class Feeding: Sendable {
        let isEnding = Flag()
        let droppedFrames = Atomic<UInt64>(0)
        let ended = Atomic<Int>(0)
    }

    func testAnAppThatIsKilledDoesNotHoldUpTheOther() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        _ = try await sender("Left", on: daemon)
        let right = try await sender("Right", on: daemon)
        let bus = try await BusClient.connect(as: "org.pipebus.desk", name: "Desk", remote: daemon.remote)
        let captured = try await bus.receiver("captured", channels: .mono, alignment: .immediate, fade: .none)
        let read = try await bus.receiver("read", channels: .mono, alignment: .immediate, fade: .none)
        try await bus.connect("Left", to: captured)
        try await bus.connect("Right", to: read)

        let format = StreamFormat(.float32, channelCount: 1, sampleRate: Self.second)
        let streams = try MultiStream([format, format], channelCount: 1)
        let meter = StepMeter(try streams.makeOutput())
        let feeding = Feeding()
        try Self.feed(streams, from: captured.makeCapture(), feeding)
        Self.feed(streams, from: read, feeding)
        try await assertInStep(meter, "at first")

        // The other waits for it for a second, and goes on alone.
        right.process.signal(SIGKILL)
        try await right.process.waitForEnd()
        meter.forget()
        try await hear(meter, "the other to go on") { meter.heardFrames > 3 * Self.second }
        meter.forget()
        try await hear(meter, "the other alone") { meter.heardFrames > Self.second }
        XCTAssertEqual(meter.comparedFrames, 0, "nothing is heard of an app that is gone")

        _ = try await sender("Right", on: daemon)
        try await bus.connect("Right", to: read)
        try await assertInStep(meter, "again")
        XCTAssertTrue(meter.areEven)
        XCTAssertEqual(feeding.droppedFrames.load(ordering: .relaxed), 0)

        feeding.isEnding.raise()
        try await eventually("both threads to end") { feeding.ended.load(ordering: .acquiring) == 2 }
        await bus.close()
    }

    /// An app whose sound is a sawtooth of the graph's position.
    private func sender(_ name: String, on daemon: HeadlessPipeWire) async throws -> Peer {
        let peer = try await Peer.start(name, on: daemon)
        let signal = TestSignal(.counting, gain: 1 / Float(StepMeter.period), modulus: UInt32(StepMeter.period))
        try await peer.addSender("out", signal, by: .position)
        addTeardownBlock {
            peer.process.signal(SIGKILL)
            try await peer.process.waitForEnd()
        }
        return peer
    }

    private func hear(_ meter: StepMeter, _ what: String, _ condition: () -> Bool) async throws {
        try await eventually(what, within: .seconds(60)) {
            meter.read()
            return condition()
        }
    }

    /// Both are heard as they were made, to a millisecond, for whole seconds. Their clocks are learnt in the first ones, and on a busy
    /// machine a thread of the app may be late, which moves its sound for a while.
    private func assertInStep(_ meter: StepMeter, _ when: String) async throws {
        meter.forget()
        try await hear(meter, "two seconds of both apps in step, \(when)") {
            guard meter.comparedFrames > 2 * Self.second else { return false }
            defer { meter.forget() }
            return meter.worst < Self.bound
        }
    }

    // MARK: The app's threads

    /// Everything that came of the first app.
    private static func feed(_ streams: MultiStream, from capture: Capture, _ feeding: Feeding) throws {
        Thread.detachNewThread {
            guard var input = try? streams.makeInput(0) else { return }
            while !feeding.isEnding.isRaised {
                guard let block = capture.read() else {
                    wait(until: .now, plus: 2_000_000)
                    continue
                }
                input.write(Array(block[0]).span, madeAt: block.timestamp.time)
            }
            feeding.droppedFrames.add(input.droppedFrames, ordering: .relaxed)
            feeding.ended.add(1, ordering: .releasing)
        }
    }

    /// The second app's sound at this thread's pace. While there is none, nothing is written.
    private static func feed(_ streams: MultiStream, from port: ReceiverPort, _ feeding: Feeding) {
        Thread.detachNewThread {
            guard var input = try? streams.makeInput(1), var reader = try? port.makeReader(blockSize: blockSize) else {
                return
            }
            var samples = [Float](repeating: 0, count: blockSize)
            var time = MonotonicTime.now
            while !feeding.isEnding.isRaised {
                var span = samples.mutableSpan
                let result = reader.read(into: &span)
                if result.hasSound { input.write(samples.span, madeAt: result.timestamp.time) }
                time = wait(until: time, plus: UInt64(blockSize) * 1_000_000_000 / UInt64(second))
            }
            feeding.droppedFrames.add(input.droppedFrames, ordering: .relaxed)
            feeding.ended.add(1, ordering: .releasing)
        }
    }

    /// The pace of a thread that no device wakes; nothing is waited for.
    @discardableResult
    private static func wait(until time: MonotonicTime, plus nanoseconds: UInt64) -> MonotonicTime {
        let end = MonotonicTime(nanoseconds: time.nanoseconds + nanoseconds)
        var moment = timespec(
            tv_sec: Int(end.nanoseconds / 1_000_000_000), tv_nsec: Int(end.nanoseconds % 1_000_000_000))
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
        return end
    }
}
