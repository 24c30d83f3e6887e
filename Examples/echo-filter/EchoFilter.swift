// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// A filter: takes sound from one app and passes it on to the next, with echoes.
@main
struct EchoFilter: Tool {
    static let configuration = CommandConfiguration(
        commandName: "echo-filter",
        abstract: "Delays sound that passes through, and repeats it.",
        discussion: """
            With --dry the sound comes out at once, and its echoes follow: the first after so many frames and so much \
            softer as --delay and --feedback say, and each of the others likewise after the one before. Without --dry the \
            same comes out late by the delay, which is then reported as latency; with --feedback 0 that is a pure delay.

            Lines that are typed while it runs, or written to its standard input through a pipe, change the sound without a \
            click: "delay 4800", "feedback 0.3". The latency follows. The end of the input changes nothing.
            """,
        version: ToolVersion.number)

    @Option(help: ArgumentHelp("The app's name.", valueName: "name"))
    var name = "Echo"
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time from one echo to the next: 0 to 1048576.", valueName: "frames"))
    var delay = 12_000
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The gain from one echo to the next: -0.99 to 0.99.", valueName: "gain"))
    var feedback = 0.4
    @Flag(help: "Passes the dry sound on, too.")
    var dry = false
    @Flag(help: "Each echo comes from the side opposite to the previous one; for 2 channels.")
    var pingPong = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The longest delay that can be set while it runs, 0 to 1048576; 4 bytes of memory for each frame and channel.",
            valueName: "frames"))
    var longestDelay = 192_000
    @Option(parsing: .unconditional, help: ArgumentHelp("Channels in and out: 1 to 64.", valueName: "n"))
    var channels = 2
    @OptionGroup var remote: RemoteOptions

    func check() throws {
        try Check.that("--delay", delay, isIn: 0...1_048_576, unit: "frames")
        try Check.that("--longest-delay", longestDelay, isIn: 0...1_048_576, unit: "frames")
        try Check.that("--feedback", feedback, isIn: Controls.feedbacks, unit: "(from one echo to the next)")
        try Check.that("--channels", channels, isIn: 1...ChannelLayout.maximumCount, unit: "channels")
        guard !pingPong || channels == 2 else {
            throw ValidationError(
                "--ping-pong needs two channels, not \(channels); give --channels 2, or leave it out.")
        }
        guard delay > 0 || feedback == 0 else {
            throw ValidationError("Without a --delay there can be no echo; give --feedback 0 too, or a delay.")
        }
    }

    func run() async throws {
        let tool = ToolRun(as: "echo-filter")
        let progress = Progress()
        let controls = Controls(delay: delay, feedback: feedback, longestDelay: max(delay, longestDelay))
        let echo = Echo(
            controls, isDry: dry, isPingPong: pingPong, channelCount: channels, reportingTo: progress)
        let bus = try await remote.connect(
            as: "org.pipebus.echo-filter", name: name, tool: "echo-filter", isCancelled: { tool.isCancelled })
        // No fade of the input: without feedback the filter is an instrument, whose output is compared with its input.
        let port = try await bus.filter(
            "echo", inputs: .channels(channels), latency: dry ? 0 : delay, fade: .none, state: echo
        ) { echo, cycle, input, output in
            echo.process(cycle, input, into: &output)
        }
        try Terminal.announce("port", port.nodeName)
        let lines = try CommandInput.lines()
        let following = Task { await controls.follow(lines, reportingLatencyOf: dry ? nil : port) }
        try await tool.keep(bus, until: { false }) {
            let state = try? await port.state
            let line = progress.line(from: state?.sources ?? [], to: state?.destinations ?? [], controls)
            return ["\(port.nodeName): \(line)"]
        }
        following.cancel()
        progress.report()
    }
}
