// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// A receiver on a thread that takes its time: shows the spectrum of what other apps send it.
@main
struct SpectrumAnalyser: Tool {
    static let configuration = CommandConfiguration(
        commandName: "spectrum",
        abstract: "Shows the spectrum of other apps' sound.",
        discussion: """
            Connect apps to it, mono or stereo; it hears the mean of both channels. A terminal shows the levels from 30 Hz to 20 kHz, -72 dB \
            to 0 dB, as wide as it is, up to 120 columns. At the end the loudest frequency that was heard is printed, with its level; in a pipe that is all.
            """,
        version: ToolVersion.number)

    @Option(help: "The app's name.") var name = "Spectrum"
    @Option(parsing: .unconditional, help: "Ends after this time of sound, in seconds: 0.1 to 604800.")
    var duration: Double?
    @OptionGroup var remote: RemoteOptions

    func check() throws { try Check.that("--duration", duration, isIn: 0.1...604_800, unit: "seconds") }

    func run() async throws {
        let tool = ToolRun(as: "spectrum")
        let bus = try await remote.connect(
            as: "org.pipebus.spectrum", name: name, tool: "spectrum", isCancelled: { tool.isCancelled })
        // Mono sources fit too, as loud as they were sent; one channel of a stereo port is the mean of both.
        let capture = try await bus.capture("in", panLaw: .balance)
        // At one rate, whatever the graph's is: the lines of the spectrum are as close at 96 kHz.
        try capture.setFormat(StreamFormat(.float32, channelCount: 1, sampleRate: 48_000))
        try Terminal.announce("port", capture.port.nodeName)
        let analysis = Analysis()
        let reading = Task { for await block in capture { analysis.add(block) } }
        try await tool.keep(bus, until: { [duration] in analysis.seconds >= duration ?? .infinity }) {
            capture.port.isConnected
                ? analysis.lines() : ["\(capture.port.nodeName): waiting until something is connected"]
        }
        await reading.value
        analysis.report()
    }
}
