// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// `tone-sender --file`, connected to a receiver of the test.
class FileSenderTestCase: ToolTestCase {
    let signal = TestSignal(.noise(seed: 7), gain: 0.5)

    /// Writes noise, a different one in each channel.
    func makeNoise(
        frames: Int, channels: Int, sampleRate: Int = 48_000, _ format: SampleFormat = .float32,
        as fileFormat: FileFormat = .wav
    ) throws -> (path: String, channels: [[Float]]) {
        let planar = (0..<channels).map { channel in
            signal.samples(count: frames, channel: channel).map { sample -> Float in
                guard format != .float32 else { return sample }
                let scale = Float(1 << (format.rawValue - 1))
                return (sample * scale).rounded() / scale
            }
        }
        let path = try write(planar, sampleRate: sampleRate, format, as: fileFormat)
        return (path, planar)
    }

    func write(
        _ planar: [[Float]], sampleRate: Int, _ format: SampleFormat = .float32, as fileFormat: FileFormat = .wav
    ) throws -> String {
        let name = "\(planar.count)-\(planar[0].count)-\(sampleRate)-\(format).\(fileFormat.fileExtension)"
        let path = "\(folder)/\(name)"
        var file = try SoundFileWriter(
            try OutputFile(path: path, replacing: fileFormat), channelCount: planar.count, sampleRate: sampleRate,
            format: format, as: fileFormat)
        try file.write(planar[0].indices.flatMap { frame in planar.map { $0[frame] } }[...])
        try file.close()
        return path
    }

    /// A stage with the tool connected to a receiver of the test.
    struct Listening {
        var stepper: GraphStepper
        var bus: BusClient
        var port: ReceiverPort
        var keeper: SampleKeeper
        var tool: ChildProcess
    }

    func listen(
        to arguments: [String], channels: ChannelLayout, sampleRate: Int = 48_000, adding more: [String: String] = [:]
    ) async throws -> Listening {
        let stepper = try await startStepper(sampleRate: sampleRate)
        let bus = try await connectClient(to: stepper.remote)
        let (port, keeper) = try await bus.keeper(channels: channels)
        let tool = try start("tone-sender", arguments, at: stepper.environment(), adding: more)
        try await waitForPort("Tone.out", of: tool, seenBy: bus)
        try await bus.connect("Tone", to: port)
        try await stepper.settle()
        return Listening(stepper: stepper, bus: bus, port: port, keeper: keeper, tool: tool)
    }

    /// Runs the graph until the tool ends, which is a tenth of a second after the sound.
    func finish(_ listening: Listening, quantum: Int = 480, rate: Int = 48_000) async throws -> [String: String] {
        let (stepper, keeper, tool) = (listening.stepper, listening.keeper, listening.tool)
        var polls = 0
        try await eventually("the sound to be over", within: .seconds(60)) {
            if tool.ending != nil { return true }
            // A cycle that it leaves would not end. So there is none while it may do that.
            polls += 1
            let mayEnd = keeper.silenceAfterSound >= max(rate / 10, 4 * quantum)
            if !mayEnd || polls.isMultiple(of: 1000) { try await stepper.step(quantum, cycles: mayEnd ? 10 : 1) }
            return false
        }
        return try await figures(of: tool)
    }
}
