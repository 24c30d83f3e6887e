// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// A receiver and a sender at the app's own pace: records a loop, and plays it over and over.
@main
struct Looper: Tool {
    static let configuration = CommandConfiguration(
        commandName: "looper",
        abstract: "Records a loop from other apps, and plays it over and over.",
        discussion: """
            Connect a source to its port "in", and its port "out" to where you listen. The return key begins the recording, and again ends \
            it and plays the loop. From then on it turns overdubbing on and off: what comes is added to the loop, up to full scale and in time with what is heard. \
            A line on the standard input is a return key. While nothing is connected to "out" nothing is recorded or played. The loop is in time \
            with its source, also after that. So its first pass lacks its beginning: 107 to 128 ms at 48 kHz and a quantum of 1024, 48 to 53 at \
            256. It is played frame by frame: when the graph's rate changes, so does its pitch.
            """,
        version: ToolVersion.number)

    private static let blockSize = 128
    private static let hint = "The return key does nothing yet; connect \"out\" first."

    @Option(help: "The app's name.") var name = "Looper"
    @Option(
        parsing: .unconditional,
        help: "The loop's length in seconds, 0.01 to 600. Its recording then begins by itself, with the first sound.")
    var length: Double?
    @OptionGroup var remote: RemoteOptions

    func check() throws { try Check.that("--length", length, isIn: Loop.lengths, unit: "seconds") }

    func run() async throws {
        let tool = ToolRun(as: "looper")
        let bus = try await remote.connect(
            as: "org.pipebus.looper", name: name, tool: "looper", isCancelled: { tool.isCancelled })
        // A mono source as loud as it was sent, and whole from its first frame on: a fade-in would be a dip in each round.
        let input = try await bus.receiver("in", fade: .none, panLaw: .balance)
        let output = try await bus.sender("out")
        let reader = try input.makeReader(blockSize: Self.blockSize)
        // More than two cycles must fit, also when the graph's become twice as long. With much longer ones the loop has gaps.
        let writer = try await output.makeWriter(bufferSize: max(4 * (bus.clock?.quantum ?? 1024), 2048))
        let loop = Loop(length: length)
        try Terminal.announce("port", output.nodeName)
        let lines = try CommandInput.lines()
        let keys = Task {
            for await _ in lines {
                if output.isConnected { await loop.press() } else { Terminal.complain(Self.hint, as: "looper") }
            }
        }
        async let ending: Void = tool.keep(bus, until: { false }) {
            let missing =
                output.isConnected ? [] : ["nothing is connected to \"out\", so nothing is recorded or played"]
            return ["\(input.nodeName) → \(output.nodeName): \(await loop.state.rawValue)"] + missing
        }
        let lost = await play(
            loop, from: reader, to: writer, until: { if case .closed = bus.state { true } else { false } })
        keys.cancel()
        try await ending
        let (state, frames) = (await loop.state.rawValue, "\(await loop.frames.count)")
        if frames == "0" { Terminal.complain("Nothing was recorded; connect \"in\" and \"out\".", as: "looper") }
        Terminal.report(
            "The loop had \(frames) frames; \(lost) frames were lost.",
            ["state": state, "frames": frames, "lost_frames": "\(lost)"])
    }

    /// Reads, loops and writes. Room in the writer is the clock: the loop goes at the pace of whatever hears it.
    /// Returns the number of frames of silence that were recorded or heard because this came too late.
    private func play(
        _ loop: Loop, from reader: consuming Reader, to writer: consuming Writer, until isEnding: () -> Bool
    ) async -> UInt64 {
        var block = [Float](repeating: 0, count: 2 * Self.blockSize)
        while !isEnding() {
            while writer.writableFrames < Self.blockSize, !isEnding() { try? await Task.sleep(for: .milliseconds(1)) }
            var samples = block.mutableSpan
            let made = reader.read(into: &samples)
            let heard = writer.nextTimestamp.map { Int($0.position) }
            await loop.pass(&block, madeAt: Int(made.timestamp.position), heardAt: heard, rate: made.sampleRate)
            _ = writer.tryWrite(block.span)
        }
        return writer.statistics.underrunFrames + reader.statistics.lateFrames
    }
}
