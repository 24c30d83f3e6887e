// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import PipeBus
import Synchronization
import ToolSupport

/// A receiver on a thread that takes its time: shows the spectrum of what other apps send it.
@main
struct SpectrumAnalyser: Tool {
    static let configuration = CommandConfiguration(
        commandName: "spectrum",
        abstract: "Shows the spectrum of other apps' sound.",
        discussion: """
            Connect apps to it. On a terminal it shows the levels from 30 Hz to 20 kHz, from -72 dB to 0 dB, three times as many columns as \
            octaves or more. At the end it prints the loudest frequency of all that was heard, and its level; in a pipe that is all.
            """,
        version: ToolVersion.number)

    @Option(help: ArgumentHelp("The app's name.", valueName: "name"))
    var name = "Spectrum"
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Ends after this time of sound, in seconds: 0.1 to 604800.", valueName: "s"))
    var duration: Double?
    @OptionGroup var remote: RemoteOptions

    func check() throws {
        try Check.that("--duration", duration, isIn: 0.1...604_800, unit: "seconds")
    }

    func run() async throws {
        let tool = ToolRun(as: "spectrum")
        let bus = try await remote.connect(
            as: "org.pipebus.spectrum", name: name, tool: "spectrum", isCancelled: { tool.isCancelled })
        // A mono receiver hears the sum of all channels that are connected to it.
        let capture = try await bus.capture("in", channels: .mono)
        try Terminal.announce("port", capture.port.nodeName)
        let analysis = Analysis()
        let reading = Task { for await block in capture { analysis.add(block) } }
        let limit = duration
        try await tool.keep(bus, until: { limit.map { analysis.seconds >= $0 } ?? false }) {
            let isConnected = capture.port.isConnected
            return isConnected
                ? analysis.lines() : ["\(capture.port.nodeName): waiting until something is connected"]
        }
        await reading.value
        analysis.report()
    }
}
