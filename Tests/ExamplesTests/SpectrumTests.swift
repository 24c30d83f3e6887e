// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

@testable import spectrum

final class SpectrumTests: ToolTestCase {
    func testASineIsOneLineOfItsLevel() {
        var spectrum = Spectrum()
        // Longer than the spectrum, in blocks.
        let sine = TestSignal(.sine(period: 4096.0 / 85), gain: 0.5).samples(count: 10_000)
        for start in stride(from: 0, to: 10_000, by: 1000) {
            spectrum.add(sine[start..<(start + 1000)])
        }
        XCTAssertEqual(Spectrum.step, 48_000 / 4096)
        let levels = spectrum.levels
        XCTAssertEqual(levels.count, 2048)
        XCTAssertEqual(levels[85], 0.5, accuracy: 1e-4)
        // Blackman's window has these parts of it beside the line, and nothing further away.
        for (distance, part) in [(1, Float(0.25 / 0.42)), (2, 0.04 / 0.42)] {
            for beside in [85 - distance, 85 + distance] {
                XCTAssertEqual(levels[beside], 0.5 * part, accuracy: 1e-4)
            }
        }
        for (index, level) in levels.enumerated() where abs(index - 85) > 2 { XCTAssertLessThan(level, 1e-4) }
    }

    func testAPeakIsFoundBetweenTheFrequencies() throws {
        for (frequency, accuracy) in [(35, 2), (100, 2), (440, 1), (1000, 1), (5000, 1), (19_000, 1)] {
            for phase in [0, 0.9, 2] {
                var spectrum = Spectrum()
                spectrum.add(
                    (0..<4096).map { frame in
                        Float(0.5 * sin(2 * .pi * Double(frequency * frame) / 48_000 + phase))
                    })
                let peak = try XCTUnwrap(spectrum.peak)
                XCTAssertEqual(peak.frequency, Double(frequency), accuracy: Double(accuracy))
                XCTAssertEqual(20 * log10(peak.level / 0.5), 0, accuracy: 0.1, "\(frequency) Hz")
            }
        }
    }

    /// Where there is no parabola.
    func testPeaksWithoutNeighbours() {
        var spectrum = Spectrum()
        XCTAssertNil(spectrum.peak)
        spectrum.add([Float](repeating: 0.5, count: 4096))
        XCTAssertEqual(spectrum.peak?.frequency, 0)
        spectrum.add((0..<4096).map { $0.isMultiple(of: 2) ? 0.5 : -0.5 })
        XCTAssertEqual(spectrum.peak?.frequency, 2047 * Spectrum.step)
        spectrum.add((0..<4096).map { $0 == 2048 ? 1 : 0 })
        XCTAssertEqual(spectrum.peak?.frequency.isFinite, true)
    }

    private func source(to stepper: GraphStepper) async throws -> (BusClient, SenderPort) {
        let bus = try await connectClient(to: stepper.remote)
        let (port, _) = try await bus.source(
            of: TestSignal(.sine(period: 4096.0 / 85), gain: 0.5), channels: .mono)
        return (bus, port)
    }

    /// Analyses a second of a source.
    private func analyse(
        _ source: SenderPort, of bus: BusClient, _ stepper: GraphStepper, cycles: Int = 47
    ) async throws -> (figures: [String: String], tool: ChildProcess) {
        let tool = try start("spectrum", ["--duration", "1"], at: stepper.environment())
        try await waitForPort("Spectrum.in", of: tool, seenBy: bus)
        try await bus.connect(source, to: "Spectrum")
        try await stepper.settle()
        try await stepper.step(1024, cycles: cycles)
        return (try await figures(of: tool), tool)
    }

    /// As loud as it was sent, and the mean of both channels.
    func testMonoAndStereoSourcesCanBeConnected() async throws {
        for (channels, isOneSided, level) in [
            (.mono, false, -6.0), (.stereo, false, -6.0), (.stereo, true, -12.0),
        ] as [(ChannelLayout, Bool, Double)] {
            let stepper = try await startStepper()
            let bus = try await connectClient(to: stepper.remote)
            let sine = TestSignal(.sine(period: 48_000.0 / 440), gain: 0.5)
            let source = try await bus.sender("out", channels: channels, state: 0) { frame, cycle, output in
                for channel in 0..<output.count {
                    var samples = output[channel]
                    for index in samples.indices {
                        let isSilent = isOneSided && channel == 1
                        samples[index] = isSilent ? 0 : sine.sample(frame: UInt64(frame + index), channel: 0)
                    }
                }
                frame += cycle.frameCount
            }
            let figures = try await analyse(source, of: bus, stepper).figures
            XCTAssertEqual(figures["loudest_hz"], "440")
            XCTAssertEqual(try XCTUnwrap(Double(figures["level_dbfs"] ?? "")), level, accuracy: 0.15)
        }
    }

    func testTheLoudestFrequencyIsReported() async throws {
        let stepper = try await startStepper()
        let (bus, source) = try await source(to: stepper)
        let (figures, tool) = try await analyse(source, of: bus, stepper)
        XCTAssertEqual(figures["seconds"], "1.0")
        XCTAssertEqual(figures["loudest_hz"], "996")
        XCTAssertEqual(figures["level_dbfs"], "-6.0")
        XCTAssertEqual(tool.output.lines.count, 2, tool.output.text)
    }

    /// The lines of the spectrum are as close at any rate of the graph.
    func testALowFrequencyIsAsExactAt96Kilohertz() async throws {
        let stepper = try await startStepper(sampleRate: 96_000)
        let bus = try await connectClient(to: stepper.remote)
        let (source, _) = try await bus.source(
            of: TestSignal(.sine(period: 96_000.0 / 30), gain: 0.5), channels: .mono)
        // More than a second, of which the resampler holds back a part.
        let figures = try await analyse(source, of: bus, stepper, cycles: 100).figures
        XCTAssertEqual(figures["loudest_hz"], "30")
        XCTAssertEqual(try XCTUnwrap(Double(figures["level_dbfs"] ?? "")), -6, accuracy: 0.15)
    }

    func testWithoutADurationASignalEndsIt() async throws {
        let stepper = try await startStepper()
        let (bus, source) = try await source(to: stepper)
        let tool = try start("spectrum", [], at: stepper.environment())
        try await waitForPort("Spectrum.in", of: tool, seenBy: bus)
        tool.signal(SIGINT)
        let none = try await figures(of: tool)
        XCTAssertEqual(none["loudest_hz"], "none")

        let second = try start(
            "spectrum", [], at: stepper.environment(), through: ["/bin/sh", "-c", "exec \"$@\" <&-", "sh"])
        try await waitForPort("Spectrum.in", of: second, seenBy: bus)
        try await bus.connect(source, to: "Spectrum")
        try await stepper.settle()
        try await stepper.step(1024, cycles: 20)
        second.signal(SIGTERM)
        let figures = try await figures(of: second)
        // All that came is analysed.
        XCTAssertEqual(figures["seconds"], "0.4")
        XCTAssertEqual(figures["loudest_hz"], "996")
    }

    func testATerminalHasAPicture() async throws {
        let stepper = try await startStepper()
        let (bus, source) = try await source(to: stepper)
        let command = "stty cols 60 rows 24; exec \(Programs.path(of: "spectrum")) --duration 0.5"
        let script = try start(
            "spectrum", [], at: stepper.environment(),
            through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"])
        try await waitForPort("Spectrum.in", of: script, seenBy: bus, isSaid: false)
        try await eventually("its first line") { script.output.text.contains("waiting until something is connected") }
        try await bus.connect(source, to: "Spectrum")
        try await stepper.settle()
        try await stepper.step(1024, cycles: 10)
        try await eventually("the picture") {
            script.output.text.contains("█") && script.output.text.contains("20 kHz")
        }
        try await stepper.step(1024, cycles: 20)
        let ending = try await script.waitForEnd()
        XCTAssertEqual(ending, .exited(0), script.output.text)
        // The picture is taken away before the result.
        let end = script.output.text.components(separatedBy: "\u{1B}[J").last ?? ""
        XCTAssertTrue(end.contains("the loudest frequency was 996 Hz with -6.0 dBFS"), end)
        XCTAssertFalse(end.contains("kHz"), end)
    }

    /// As a tile of a window manager may be.
    func testAVerySmallTerminalHasAPicture() async throws {
        let stepper = try await startStepper()
        let (bus, source) = try await source(to: stepper)
        let command = "stty cols 10 rows 3; exec \(Programs.path(of: "spectrum")) --duration 0.5"
        let script = try start(
            "spectrum", [], at: stepper.environment(),
            through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"])
        try await waitForPort("Spectrum.in", of: script, seenBy: bus, isSaid: false)
        try await bus.connect(source, to: "Spectrum")
        try await stepper.settle()
        try await stepper.step(1024, cycles: 10)
        try await eventually("the picture") { script.output.text.contains("█") }
        try await stepper.step(1024, cycles: 20)
        let ending = try await script.waitForEnd()
        XCTAssertEqual(ending, .exited(0), script.output.text)
        XCTAssertFalse(script.output.text.contains("…"), script.output.text)
    }

    func testBadUsage() async throws {
        try await assertOneSentence(
            start("spectrum", ["--duration", "0"]), from: "spectrum", status: 64, saying: "0.1 to 604800")
        try await assertOneSentence(start("spectrum"), from: "spectrum", status: 1, saying: "PipeWire")
    }
}
