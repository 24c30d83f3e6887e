// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// A disk that is full in the middle of a take: a small file system in memory, which only the recorder sees.
final class DiskFullTests: ToolTestCase {
    private static let size = 256 * 1024

    /// Runs a command on a disk of its own, which is copied to `COPY` in the end.
    private static let script = """
        disk=$1 copy=$2
        shift 2
        mount -t tmpfs -o size=\(size) none "$disk" || exit 99
        [ -z "$FULL" ] || head -c "$FULL" /dev/zero > "$disk/other" 2> /dev/null
        "$@"
        status=$?
        cp -r "$disk/." "$copy"
        exit $status
        """

    private func disk(_ name: String) throws -> (wrapper: [String], path: String, copy: String) {
        let (path, copy) = ("\(folder)/disk-\(name)", "\(folder)/copy-\(name)")
        for folder in [path, copy] { _ = unsafe mkdir(folder, 0o700) }
        return (["unshare", "-rm", "/bin/sh", "-c", Self.script, "disk", path, copy], path, copy)
    }

    private func skipUnlessADiskCanBeMade() async throws {
        let (wrapper, _, _) = try disk("try")
        let ending = try await ChildProcess(wrapper[0], wrapper.dropFirst() + ["true"]).waitForEnd()
        try XCTSkipUnless(ending == .exited(0), "takes the right to mount a file system in a namespace of its own")
    }

    /// Records sources on a disk of its own, until the recorder ends.
    ///
    /// - Parameters:
    ///   - name: of the disk.
    ///   - used: number of bytes of the disk that something else has; 0: none.
    /// - Returns: the recorder, and a copy of its disk.
    private func record(
        _ arguments: [String], into output: String, on name: String, used: Int = 0, from sources: [String] = ["out"],
        of signal: TestSignal, _ channels: ChannelLayout
    ) async throws -> (tool: ChildProcess, copy: String) {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (wrapper, path, copy) = try disk(name)
        let tool = try start(
            "track-recorder", arguments + ["--output", "\(path)/\(output)"], at: stepper.environment(),
            through: wrapper,
            adding: used > 0 ? ["FULL": "\(used)"] : [:])
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        for name in sources {
            let (source, _) = try await bus.source(name, of: signal, channels: channels)
            try await bus.connect(source, to: "Recorder")
        }
        // The moment of its end is open, and PipeWire 0.3.65 does not end a cycle during which a client leaves.
        for _ in 0..<200 where tool.ending == nil { try? await stepper.step(1024, timeout: .seconds(1)) }
        return (tool, copy)
    }

    /// The take so far is a valid file whose samples are right, and the tool says in one sentence why it ended.
    func testATakeThatFillsTheDisk() async throws {
        try await skipUnlessADiskCanBeMade()
        for bits in [16, 24, 32] {
            let signal = TestSignal(.counting, gain: 1 / Float(1 << 20), modulus: 1 << 20)
            let (tool, copy) = try await record(
                ["--bits", "\(bits)"], into: "take.wav", on: "\(bits)", of: signal, .stereo)
            try await assertOneSentence(tool, from: "track-recorder", status: 1, saying: "No space left on device")
            let file = try WaveFile.read("\(copy)/take.wav")
            let samples = file.channels[0]
            let frameSize = 2 * bits / 8
            XCTAssertGreaterThan(samples.count, (Self.size - 8192) / frameSize, "\(bits) bits")
            for (frame, sample) in samples.enumerated() {
                let expected = signal.sample(frame: UInt64(frame), channel: 0)
                guard abs(sample - expected) < (bits == 16 ? 4e-5 : 2e-7) else {
                    return XCTFail("\(bits) bits, frame \(frame): \(sample) instead of \(expected)")
                }
            }
            FaultTable.shared.add(
                FaultTable.Row(
                    "disk full in the recorder, \(bits) bits", saw: ["No space left on device"], back: "the tool ends",
                    lost: "none of the \(samples.count) that fit", on: .chosen))
        }
    }

    /// A FLAC file ends with its last whole block.
    func testAFLACFileThatFillsTheDisk() async throws {
        try await skipUnlessADiskCanBeMade()
        // Noise cannot be compressed.
        let signal = TestSignal(.noise(seed: 3), gain: 0.5)
        let (tool, copy) = try await record([], into: "take.flac", on: "flac", of: signal, .stereo)
        let sentence = try await assertOneSentence(
            tool, from: "track-recorder", status: 1, saying: "No space left on device")
        let clip = try AudioClip(contentsOf: "\(copy)/take.flac")
        XCTAssertEqual(clip.frameCount % 4096, 0)
        XCTAssertGreaterThan(clip.frameCount, Self.size / 6 - 8192)
        XCTAssertTrue(sentence.contains("its \(clip.frameCount) frames can be played"), sentence)
        for frame in 0..<clip.frameCount {
            XCTAssertEqual(clip.samples[2 * frame], signal.sample(frame: UInt64(frame), channel: 0), accuracy: 2e-7)
        }
    }

    /// The last block is in the encoder until the end, and finds no room then.
    func testAFLACFileWhoseLastBlockFillsTheDisk() async throws {
        try await skipUnlessADiskCanBeMade()
        // Room for a head and two blocks of 24 KiB and a little.
        let room = 54 * 1024
        let signal = TestSignal(.noise(seed: 4), gain: 0.5)
        let (tool, copy) = try await record(
            ["--duration", "0.2"], into: "take.flac", on: "end", used: Self.size - room, of: signal, .stereo)
        try await assertOneSentence(
            tool, from: "track-recorder", status: 1,
            saying: "take.flac could take no more (No space left on device), and its 8192 frames can be played")
        let clip = try AudioClip(contentsOf: "\(copy)/take.flac")
        XCTAssertEqual(clip.frameCount, 8192)
        for frame in 0..<clip.frameCount {
            XCTAssertEqual(clip.samples[2 * frame], signal.sample(frame: UInt64(frame), channel: 0), accuracy: 2e-7)
        }
    }

    /// Each source's file can be played.
    func testFLACTracksThatFillTheDisk() async throws {
        try await skipUnlessADiskCanBeMade()
        let signal = TestSignal(.noise(seed: 5), gain: 0.5)
        let (tool, copy) = try await record(
            ["--format", "flac", "--separate"], into: "tracks", on: "flac-tracks", from: ["one", "two"], of: signal,
            .mono)
        let sentence = try await assertOneSentence(
            tool, from: "track-recorder", status: 1, saying: "No space left on device")
        XCTAssertTrue(sentence.contains("Test one.flac") || sentence.contains("Test two.flac"), sentence)
        for name in ["one", "two"] {
            let clip = try AudioClip(contentsOf: "\(copy)/tracks/Test \(name).flac")
            // The writer takes up to 16384 frames of one lane at once, before it is the other's turn.
            XCTAssertGreaterThan(clip.frameCount, Self.size / 2 / 3 - 16_384 - 4096)
            for frame in 0..<clip.frameCount {
                XCTAssertEqual(clip.samples[frame], signal.sample(frame: UInt64(frame), channel: 0), accuracy: 2e-7)
            }
        }
    }

    func testADiskThatIsFullFromTheStartGetsNoFile() async throws {
        try await skipUnlessADiskCanBeMade()
        let daemon = try await startDaemon()
        let (wrapper, path, copy) = try disk("full")
        let tool = try start(
            "track-recorder", ["--output", "\(path)/take.wav"], at: daemon.environment(), through: wrapper,
            adding: ["FULL": "\(2 * Self.size)"])
        // At once, since no header finds room.
        try await assertOneSentence(
            tool, from: "track-recorder", status: 1, saying: "No space left on device; make room on the disk.")
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: copy), ["other"])
    }

    /// Each source's file can be played, and ends where the disk was full.
    func testTracksThatFillTheDisk() async throws {
        try await skipUnlessADiskCanBeMade()
        let signal = TestSignal(.counting, gain: 1 / Float(1 << 20), modulus: 1 << 20)
        let (tool, copy) = try await record(
            ["--bits", "32", "--separate"], into: "tracks", on: "tracks", from: ["one", "two"], of: signal, .mono)
        let sentence = try await assertOneSentence(
            tool, from: "track-recorder", status: 1, saying: "No space left on device")
        XCTAssertTrue(sentence.contains("Test one.wav") || sentence.contains("Test two.wav"), sentence)
        for name in ["one", "two"] {
            let samples = try WaveFile.read("\(copy)/tracks/Test \(name).wav").channels[0]
            // The writer takes up to 16384 frames of one lane at once, before it is the other's turn.
            XCTAssertGreaterThan(samples.count, Self.size / 2 / 4 - 16_384)
            assertSamples(samples, equal: signal.samples(count: samples.count))
        }
    }
}
