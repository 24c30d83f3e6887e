// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A small app of its own that depends on PipeBus by version, as apps do: the README's two programs, one of them with
/// main-actor default isolation, without experimental or unsafe flags.
final class ConsumerTests: DaemonTestCase {
    func testTheReadmesProgramsBuildAgainstATagAndRun() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let output = FileManager.default.temporaryDirectory.appending(path: "pipebus-consumer-\(getpid())").path
        defer { try? FileManager.default.removeItem(atPath: output) }
        let build = try ChildProcess("/bin/sh", ["\(root)/Scripts/build-consumer.sh", output])
        let ending = try await build.waitForEnd(within: .seconds(1200))
        guard ending == .exited(0) else { throw build.failure("the consumer did not build") }

        try await tryTheActions(in: output)
        let daemon = try await startDaemon()
        let environment = daemon.environment()
        let sender = try ChildProcess("\(output)/Sender", environment: environment)
        // The meter prints; stdbuf makes it do so line by line without a terminal.
        let meter = try ChildProcess("/usr/bin/stdbuf", ["-oL", "\(output)/Meter"], environment: environment)
        // The first readings may be of the time before the sound came.
        let line = try await meter.nextLine(within: .seconds(20)) {
            $0.hasPrefix("Tone out 0.") && !$0.hasPrefix("Tone out 0.0 ")
        }
        // Its peak: 0.2, as the README's sender says.
        XCTAssertEqual(Float(line.split(separator: " ")[2]) ?? 0, 0.2, accuracy: 0.001)

        // One with an end of RealtimeKit as its state, between the sender and a receiver of ours.
        let volume = try ChildProcess("\(output)/Volume", environment: environment)
        let bus = try await BusClient.connect(as: "org.example.look", name: "Look", remote: daemon.remote)
        let input = try await bus.receiver("in", fade: .none, state: ()) { _, _, _ in }
        try await bus.connect("Volume", to: input)
        try await bus.connect("Tone", to: "Volume")
        let heard = await input.meters.first { $0.contains { abs($0.meter.peak - 0.16) < 0.001 } }
        XCTAssertNotNil(heard)
        await input.close()

        // One that takes the sound on a thread of its own.
        let count = try ChildProcess("/usr/bin/stdbuf", ["-oL", "\(output)/Count"], environment: environment)
        try await bus.connect("Tone", to: "Count")
        _ = try await count.nextLine(within: .seconds(20)) { $0.contains(" frames, made at ") }
        XCTAssertTrue(count.signal(SIGTERM))
        let countEnding = try await count.waitForEnd()
        XCTAssertEqual(countEnding, .exited(0))

        // One that is known before it runs.
        let data = "\(output)/data"
        let synth = try ChildProcess(
            "\(output)/Synth", environment: environment.merging(["XDG_DATA_HOME": data]) { $1 })
        try await eventually("the synth") { await bus.graph.ports.contains { $0.nodeName == "Voice Synth.out" } }
        let entry = try String(contentsOfFile: "\(data)/applications/org.example.synth.desktop", encoding: .utf8)
        XCTAssertTrue(entry.contains("X-PipeBus-Ports=out:sender:1:Main Out;"), entry)
        // It may not wait for signals yet.
        XCTAssertTrue(synth.signal(SIGKILL))
        try await synth.waitForEnd()
        try await eventually("its end") { await !bus.graph.ports.contains { $0.nodeName == "Voice Synth.out" } }

        try await runTheRecipes(of: output, at: daemon, with: bus)

        // All leave cleanly when asked to, and leave nothing behind.
        XCTAssertTrue(sender.signal(SIGINT))
        let senderEnding = try await sender.waitForEnd()
        XCTAssertEqual(senderEnding, .exited(0))
        XCTAssertTrue(meter.signal(SIGTERM))
        let meterEnding = try await meter.waitForEnd()
        XCTAssertEqual(meterEnding, .exited(0))
        XCTAssertTrue(volume.signal(SIGTERM))
        let volumeEnding = try await volume.waitForEnd()
        XCTAssertEqual(volumeEnding, .exited(0))
        let graph = await bus.graph
        XCTAssertEqual(graph.ports.filter(\.isPipeBus), [])

        // They do not end in silence when another program removes them.
        let lost = try ChildProcess("\(output)/Sender", environment: environment)
        // Heard, so that its program has its port and waits for the end.
        let other = try await bus.receiver("other", state: ()) { _, _, _ in }
        try await bus.connect("Tone", to: other)
        let tone = await other.meters.first { $0.contains { $0.meter.peak > 0.1 } }
        XCTAssertNotNil(tone)
        try await daemon.removeClient(named: "Tone")
        let lostEnding = try await lost.waitForEnd()
        XCTAssertEqual(lostEnding, .exited(1))
        XCTAssertEqual(lost.errors.lines.count, 1, lost.errors.text)
        XCTAssertTrue(lost.errors.text.hasPrefix("Sender: "), lost.errors.text)
        await bus.close()
        try await daemon.kill()

        // Nor with a crash report where there is none from the start.
        for program in ["Sender", "Meter"] {
            let alone = try ChildProcess("\(output)/\(program)", environment: environment)
            let aloneEnding = try await alone.waitForEnd()
            XCTAssertEqual(aloneEnding, .exited(1))
            XCTAssertEqual(alone.errors.lines.count, 1, alone.errors.text)
            XCTAssertTrue(alone.errors.text.hasPrefix("\(program): "), alone.errors.text)
        }
    }

    /// The programs of Docs/Recipes.md and Docs/Streams.md, beside the README's Tone.
    private func runTheRecipes(of folder: String, at daemon: HeadlessPipeWire, with bus: BusClient) async throws {
        func start(_ program: String, in directory: String? = nil) throws -> ChildProcess {
            let command = directory.map { "cd \($0); exec" } ?? "exec"
            return try ChildProcess(
                "/bin/sh", ["-c", "\(command) stdbuf -oL \(folder)/\(program)"], environment: daemon.environment())
        }
        func end(_ process: ChildProcess) async throws {
            XCTAssertTrue(process.signal(SIGTERM))
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0), process.errors.text)
        }
        let listener = try await bus.receiver("listener", fade: .none, panLaw: .balance)
        func hear(_ peak: Float, _ what: String) async {
            let heard = await listener.meters.first { $0.contains { abs($0.meter.peak - peak) < 0.001 } }
            XCTAssertNotNil(heard, what)
        }

        let knob = try start("Knob")
        try await bus.connect("Knob", to: listener)
        try await bus.connect("Tone", to: "Knob")
        await hear(0.2, "the tone as it is")
        knob.send("0.5")
        await hear(0.1, "half of it")
        knob.send("loud")
        _ = try await knob.nextLine { $0 == "Type 0 to 4." }
        try await end(knob)

        let peaks = try start("Peaks")
        try await bus.connect("Tone", to: "Peaks")
        // A mono source in the centre is 3 dB softer on each side.
        _ = try await peaks.nextLine { $0.hasPrefix("a peak of 0.14") }
        try await end(peaks)

        let disk = try start("Disk", in: folder)
        try await bus.connect("Tone", to: "Disk")
        let file = "\(folder)/sound.f32"
        try await eventually("a second in the file") { size(of: file) > 8 * 48_000 }
        try await end(disk)
        // The end: one program links the two channels of another one after the other, and until both are linked the
        // tone is on the left alone, as loud as it was sent.
        XCTAssertEqual(try samples(in: file).suffix(48_000).max() ?? 0, 0.2 * Float(0.5).squareRoot(), accuracy: 0.001)

        let takes = try start("Takes", in: folder)
        try await bus.connect("Tone", to: "Takes")
        let take = "\(folder)/source-1-1.f32"
        // What it gives at first was made a second before the first source's sound.
        let slowAge = 48_000
        let slow = try await bus.sender("slow", channels: .mono, latency: .frames(slowAge), state: ()) {
            _, cycle, output in
            output.fill(0) { Float((Int(cycle.position) - slowAge + $0) & 0xFFFF) + 1 }
        }
        try await bus.connect(slow, to: "Takes")
        let slowTake = "\(folder)/source-2-1.f32"
        try await eventually("half a second of the first source") { size(of: take) > 4 * 24_000 }
        let late = try await bus.sender("late", channels: .mono, state: ()) { _, _, output in
            var samples = output[0]
            for frame in samples.indices { samples[frame] = 0.25 }
        }
        try await bus.connect(late, to: "Takes")
        // It begins with silence, up to when it came.
        try await eventually("sound in another file") {
            (try? samples(in: "\(folder)/source-3-1.f32"))?.last == 0.25
        }
        try await eventually("half a second of the slow source") { size(of: slowTake) > 4 * 24_000 }
        try await end(takes)
        // Both end at about the same time, and the second one is silent until it came.
        let second = try samples(in: "\(folder)/source-3-1.f32")
        XCTAssertGreaterThan(second.prefix { $0 == 0 }.count, 24_000)
        // On a busy machine the very last cycles may be missed ones.
        XCTAssertEqual(second.suffix(12_000).max(), 0.25)
        XCTAssertEqual(try samples(in: take).suffix(24_000).max() ?? 0, 0.2, accuracy: 0.001)
        // What was made before the first source's sound is not in the file. A missed cycle is silence, and leaves the others in place.
        let old = try samples(in: slowTake).enumerated().filter { $0.element > 0 }
        XCTAssertEqual(Set(old.map { ($0.offset - Int($0.element)) & 0xFFFF }).count, 1)
        for port in [slow, late] { await port.close() }

        let through = try start("Through")
        try await bus.connect("Through", to: listener)
        try await bus.connect("Tone", to: "Through")
        await hear(0.1, "half of the tone")
        let age = try await listener.sources.first { $0.title == "Through out" }?.latency.frames ?? 0
        XCTAssertGreaterThanOrEqual(age, 6 * 480, "the promised age")
        try await end(through)

        let desk = try start("Desk")
        try await bus.connect("Tone", to: "Desk")
        _ = try await desk.nextLine { $0 == "Tone out is on lane 0" }
        _ = try await desk.nextLine { $0.hasPrefix("Tone out 0.501187") && $0.hasSuffix(" 0.0") == false }
        _ = try await desk.nextLine { $0.hasPrefix("mix ") && $0 != "mix 0.0" }
        try await end(desk)

        let blocks = try start("Blocks")
        try await bus.connect("Tone", to: "Blocks")
        _ = try await blocks.nextLine { $0.hasPrefix("4800 frames, made at ") && $0.contains("peak 0.14") }
        try await end(blocks)

        // Two that end by themselves when all was heard.
        let chime = try start("Chime")
        try await bus.connect("Chime", to: listener)
        await hear(0.2, "the chime")
        let chimeEnding = try await chime.waitForEnd(within: .seconds(20))
        XCTAssertEqual(chimeEnding, .exited(0), chime.errors.text)

        let sound = Data(
            (0..<88_200).flatMap { frame in [frame / 100 % 2 == 0 ? 0x20 : 0xE0].flatMap { [UInt8(0), UInt8($0)] } })
        try sound.write(to: URL(filePath: "\(folder)/sound.s16"))
        let push = try ChildProcess(
            "/bin/sh", ["-c", "cat \(folder)/sound.s16 | \(folder)/Push"], environment: daemon.environment())
        try await bus.connect("Push", to: listener)
        let pushed = await listener.meters.first { $0.contains { $0.meter.peak > 0.2 } }
        XCTAssertNotNil(pushed)
        let pushEnding = try await push.waitForEnd(within: .seconds(20))
        XCTAssertEqual(pushEnding, .exited(0), push.errors.text)

        // At the graph's pace, as a network gives it.
        let made = unsafe mkfifo("\(folder)/network", 0o600)
        XCTAssertEqual(made, 0)
        let live = try ChildProcess(
            "/bin/sh", ["-c", "exec \(folder)/Live < \(folder)/network"], environment: daemon.environment())
        let network = try FileHandle(forWritingTo: URL(filePath: "\(folder)/network"))
        let tap = try await bus.receiver("tap", fade: .none, panLaw: .balance)
        let sending = Task {
            let capture = try tap.makeCapture(format: StreamFormat(.int16, channelCount: 2, sampleRate: 44_100))
            for await block in capture { try network.write(contentsOf: block.bytes) }
            try network.close()
        }
        try await bus.connect("Tone", to: tap)
        try await bus.connect("Live", to: listener)
        await hear(0.2, "the tone over a network")
        let promised = try await listener.sources.first { $0.title == "Live out" }?.latency.frames
        XCTAssertEqual(promised, 4800)
        await tap.close()
        try await sending.value
        try await end(live)
        await listener.close()
    }

    /// An action and an app that asks for actions, as plain programs.
    private func tryTheActions(in folder: String) async throws {
        let sox = try ChildProcess(
            "sox", ["-n", "-b", "16", "\(folder)/Speech.wav", "synth", "0.1", "sine", "440", "vol", "0.25"])
        let made = try await sox.waitForEnd()
        XCTAssertEqual(made, .exited(0), sox.errors.text)
        let louder = try ChildProcess("\(folder)/Louder", ["--gain", "0", "\(folder)/Speech.wav"])
        let ending = try await louder.waitForEnd()
        XCTAssertEqual(ending, .exited(0), louder.errors.text)
        let result = URL(filePath: "\(folder)/Speech (Louder).wav")
        XCTAssertEqual(try Data(contentsOf: result).count, size(of: "\(folder)/Speech.wav"))
        // No action is installed for a user who has nothing.
        let effects = try ChildProcess(
            "/bin/sh", ["-c", "cd \(folder) && exec ./Effects"],
            environment: ["XDG_DATA_HOME": "\(folder)/nothing", "XDG_DATA_DIRS": "\(folder)/nothing"])
        let ended = try await effects.waitForEnd()
        XCTAssertEqual(ended, .exited(0), effects.errors.text)
        XCTAssertEqual(effects.output.text, "")
    }

    private func size(of file: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }

    private func samples(in file: String) throws -> [Float] {
        let recorded = try Data(contentsOf: URL(filePath: file))
        return unsafe recorded.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    }

    func testTheConsumersProgramsAreThoseOfTheDocumentation() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let threads = try String(contentsOf: root.appending(path: "Docs/Threads.md"), encoding: .utf8)
        let recipes = try String(contentsOf: root.appending(path: "Docs/Recipes.md"), encoding: .utf8)
        let streams = try String(contentsOf: root.appending(path: "Docs/Streams.md"), encoding: .utf8)
        let apps = try String(contentsOf: root.appending(path: "Docs/Apps.md"), encoding: .utf8)
        let actions = try String(contentsOf: root.appending(path: "Docs/Actions.md"), encoding: .utf8)
        let programs = [
            ("Louder/Louder", actions), ("Effects", actions), ("Synth", apps), ("Sender", readme), ("Meter", readme),
            ("Volume", threads), ("Count", streams),
            ("Blocks", streams),
            ("Chime", streams), ("Knob", recipes), ("Peaks", recipes), ("Disk", recipes), ("Takes", recipes),
            ("Through", recipes), ("Push", recipes), ("Live", recipes), ("Desk", recipes),
        ]
        for (program, text) in programs {
            let source = try String(
                contentsOf: root.appending(
                    path: "Tests/Consumer/Sources/\(program)\(program.contains("/") ? "" : "/main").swift"),
                encoding: .utf8)
            XCTAssertTrue(text.contains(source), "\(program) is not word for word in the documentation")
        }
    }
}
