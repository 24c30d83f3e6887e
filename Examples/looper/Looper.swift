// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import Synchronization
import ToolSupport

/// A receiver and a sender on a thread of the app's own: records a loop, and plays it over and over.
@main
struct Looper: Tool {
    static let configuration = CommandConfiguration(
        commandName: "looper",
        abstract: "Records a loop from other apps, and plays it over and over.",
        discussion: """
            Connect a source to its port "in", and its port "out" to where you listen. The return key begins the recording, and again ends \
            it and plays the loop. From then on it turns overdubbing on and off: what comes is added to the loop, in time with what is heard. \
            A line on the standard input is a return key. While nothing is connected to "out" the loop stands still.
            """,
        version: ToolVersion.number)

    @Option(help: "The app's name.") var name = "Looper"
    @Option(
        parsing: .unconditional,
        help: "The loop's length in seconds, 0.01 to 600. Its recording then begins by itself, with the first sound.")
    var length: Double?
    @Flag(help: "Overdubs from the second round on; with --length.") var overdub = false
    @Option(
        parsing: .unconditional,
        help: "The frames that wait at \"out\": 512 to 65536, and more than two cycles of the graph.")
    var buffer = 4096
    @OptionGroup var remote: RemoteOptions

    func check() throws {
        try Check.that("--length", length, isIn: 0.01...600, unit: "seconds")
        try Check.that("--buffer", buffer, isIn: 512...65_536, unit: "frames")
        if overdub, length == nil { throw ValidationError("--overdub is for --length; otherwise press return.") }
    }

    func run() async throws {
        let tool = ToolRun(as: "looper")
        let bus = try await remote.connect(
            as: "org.pipebus.looper", name: name, tool: "looper", isCancelled: { tool.isCancelled })
        // A mono source as loud as it was sent.
        let input = try await bus.receiver("in", panLaw: .balance)
        let output = try await bus.sender("out")
        let loop = Loop(limit: length ?? 600, beginsBySound: length != nil, overdubs: overdub)
        let thread = try LoopThread(loop, from: input, to: await output.makeWriter(bufferSize: buffer))
        let looping = try BlockingThread.start { thread.run() }
        try Terminal.announce("port", output.nodeName)
        let lines = try CommandInput.lines()
        let keys = Task { for await _ in lines { thread.loop.withLock { $0.advance() } } }
        let ending = await Result {
            try await tool.keep(bus, until: { false }) {
                let state = thread.loop.withLock { $0.state.rawValue }
                return ["\(input.nodeName) → \(output.nodeName): \(output.isConnected ? state : "not connected")"]
            }
        }
        keys.cancel()
        thread.end()
        try await looping.value
        try ending.get()
        let (state, frames) = thread.loop.withLock { ($0.state.rawValue, "\($0.frameCount)") }
        let lost = "\(thread.lostFrames.load(ordering: .relaxed))"
        Terminal.report(
            "The loop had \(frames) frames; \(lost) frames were lost.",
            ["state": state, "frames": frames, "lost_frames": lost])
    }
}
