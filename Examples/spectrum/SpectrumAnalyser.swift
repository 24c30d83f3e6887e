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
            Connect apps to it. A terminal shows the levels from 30 Hz to 20 kHz, from -72 dB to 0 dB, as wide as it is. At the end \
            the loudest frequency of all that was heard is printed, with its level; in a pipe that is all.
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
        // A mono receiver hears the sum of all channels that are connected to it.
        let capture = try await bus.capture("in", channels: .mono)
        try Terminal.announce("port", capture.port.nodeName)
        let analysis = Analysis()
        let reading = Task { for await block in capture { analysis.add(block) } }
        let limit = duration ?? .infinity
        try await tool.keep(bus, until: { analysis.seconds >= limit }) {
            guard !capture.port.isConnected else { return analysis.lines() }
            return ["\(capture.port.nodeName): waiting until something is connected"]
        }
        await reading.value
        analysis.report()
    }
}
