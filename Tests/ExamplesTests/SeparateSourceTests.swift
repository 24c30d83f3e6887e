// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// `track-recorder --separate`: sources that are connected and disconnected, and the file of each.
final class SeparateSourceTests: SeparateRecordingTestCase {
    func testASourceThatIsLateBeginsWithSilenceAndOneThatLeavesEndsInIt() async throws {
        let bench = try await startBench()
        let whole = try await bench.addSource("whole")
        let late = try await bench.addSource("late")
        let short = try await bench.addSource("short")
        let slow = try await bench.addSource("slow", latency: 1500)
        for source in [whole, short, slow] { try await bench.connect(source) }
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step([1024, 17, 8192])
        let join = Int(await bench.stepper.position)
        try await bench.connect(late)
        try await bench.stepper.step([64, 1024])
        let leave = Int(await bench.stepper.position)
        try await bench.disconnect(short)
        try await bench.stepper.step([1024, 4096, 16])
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(result.start, begin - 1500)
        assertFile("Test whole.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Test slow.wav", in: result, of: bench, made: [(begin - 1500)..<(end - 1500)])
        assertFile("Test late.wav", in: result, of: bench, made: [join..<end])
        // All its sound, with the part that was still in the delay.
        assertFile("Test short.wav", in: result, of: bench, made: [begin..<leave])
    }

    func testASourceThatComesBackGoesOnInItsFile() async throws {
        let bench = try await startBench()
        let whole = try await bench.addSource("whole")
        try await bench.connect(whole)
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1024)
        var made: [Range<Int>] = []
        // The same port first, then an app that was ended and started again.
        for renews in [false, false, true, true] {
            var client = bench.bus
            if renews { client = try await connectClient(to: bench.stepper.remote, as: "Guest") }
            if renews || made.isEmpty {
                _ = try await bench.addSource("guest", title: renews ? "Again" : "Guest", to: client)
            }
            let name = renews ? "Guest.guest" : "Test.guest"
            try await bench.connect(name)
            let first = Int(await bench.stepper.position)
            try await bench.stepper.step([1000, 24])
            made.append(first..<Int(await bench.stepper.position))
            try await bench.disconnect(name)
            if renews {
                await client.close()
                try await eventually("the guest to be gone") {
                    await !bench.bus.graph.ports.contains { $0.nodeName == name }
                }
                try await bench.stepper.settle()
            }
            try await bench.stepper.step(512)
        }
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(Set(result.files.keys), ["Test whole.wav", "Guest.wav", "Again.wav"])
        assertFile("Test whole.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Guest.wav", in: result, of: bench, made: Array(made[..<2]))
        assertFile("Again.wav", in: result, of: bench, made: Array(made[2...]))
        XCTAssertEqual(result.figures["skipped_frames"], "0")
    }

    func testAnotherSourceOnTheSameLaneHasAFileOfItsOwn() async throws {
        let bench = try await startBench(["--lanes", "1"])
        var made: [Range<Int>] = []
        for name in ["one", "two", "three"] {
            let source = try await bench.addSource(name, channels: name == "two" ? .mono : .stereo)
            try await bench.connect(source)
            let first = Int(await bench.stepper.position)
            try await bench.stepper.step(1024, cycles: 3)
            made.append(first..<Int(await bench.stepper.position))
            try await bench.disconnect(source)
        }
        let result = try await bench.finish()
        XCTAssertEqual(result.files.count, 3)
        assertFile("Test one.wav", in: result, of: bench, made: [made[0]])
        assertFile("Test two.wav", in: result, of: bench, made: [made[1]], channels: 1)
        assertFile("Test three.wav", in: result, of: bench, made: [made[2]])
    }

    func testSourcesThatShareALaneAreOneFile() async throws {
        let bench = try await startBench(["--lanes", "1"])
        let first = try await bench.addSource("first")
        _ = try await bench.addSource("second")
        try await bench.connect(first)
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 2)
        let both = Int(await bench.stepper.position) - begin
        for channel in ["FL", "FR"] {
            let link = try ChildProcess(
                "pw-link", ["Test.second:output_\(channel)", "Recorder.in:input_1_\(channel)"],
                environment: bench.stepper.environment())
            let ending = try await link.waitForEnd()
            XCTAssertEqual(ending, .exited(0), link.errors.text)
        }
        try await eventually("the links") {
            await bench.bus.graph.connections.contains { $0.links.count == 2 && $0.source != first.id }
        }
        try await bench.stepper.settle()
        try await bench.stepper.step(1024, cycles: 2)
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(Array(result.files.keys), ["Test first.wav"])
        for (channel, samples) in (result.files["Test first.wav"]?.channels ?? []).enumerated() {
            var expected = bench.expected([begin..<end], channel: channel, in: result, count: samples.count)
            for frame in both..<samples.count { expected[frame] *= 2 }
            assertSamples(samples, equal: expected, channel: channel)
        }
        XCTAssertTrue(bench.tool.errors.text.contains("Test second"), bench.tool.errors.text)
    }
}
