// SPDX-License-Identifier: MIT
import ArgumentParser
import Foundation

/// Measures what the library costs next to the same thing written in C.
@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compares a stereo gain filter on PipeBus with the same filter in C.",
        discussion: """
            Everything runs in a private PipeWire daemon. A line per measure: name, ours, peer, ratio. Times are the \
            audio thread's processor time per graph cycle of 64 frames, with all programs running at once, each at each \
            place in the cycle. The ratio is the mean of ratios within one second, so it is steadier than the times. \
            Instructions are those of one call of the process callback, counted by callgrind. Receivers are \
            compared in the same way, at several quanta, and so are 1, 4 and 16 filters in series, in one app and in \
            an app each: there the times are those of all the filters together. Idle apps are compared with pw-mon \
            while others change a graph of 300 nodes, and a hundred of them with a hundred in C. The mixers are compared in \
            one process: nanoseconds per cycle for both channels of all sources. So are rings: a block that is written and \
            read again. A reader's call is compared with that of a thread that reads a ring of libjack's.
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Count instructions only, and fail if there are too many.")
    var checkInstructions = false

    @Flag(help: "Compare the mixers only.")
    var mix = false

    @Flag(help: "Compare the receivers only.")
    var receiver = false

    @Flag(help: "Compare filters in series only.")
    var chain = false

    @Flag(help: "Compare idle apps in a busy graph only.")
    var graph = false

    @Flag(help: "Compare idle apps in a graph of 1 000 nodes and 2 000 links only.")
    var largeGraph = false

    @Flag(help: "Measure only what it costs to watch for sources that hang.")
    var watch = false

    @Flag(help: "Compare only what streams are made of: rings, conversions, and a reader's call.")
    var streams = false

    @Flag(help: "Compare only what a graph costs: large graphs with small ones.")
    var model = false

    @Flag(help: "Compare only the time to read the whole graph of a daemon with that of pw-dump and jq.")
    var load = false

    @Flag(help: "Compare only the time from a connection to its first sound with that of C.")
    var sound = false

    @Flag(help: "Compare resamplers only, in a table of the program that does so; it is in no other.")
    var resamplers = false

    @Flag(help: "Compare the C filter with itself as well: its distance from 1 is the error of the other figures.")
    var control = false

    @Option(help: "Windows of one second for each order in which the programs are started.")
    var windows = 4

    @Option(help: "The processor that the daemon and the programs share; the last one unless given.")
    var processor: Int?

    private var parts: [Bool] {
        [mix, receiver, chain, graph, largeGraph, watch, streams, model, load, sound, resamplers, checkInstructions]
    }

    func validate() throws {
        guard (1...1000).contains(windows) else { throw ValidationError("Give 1 to 1000 windows, not \(windows).") }
        guard parts.count(where: \.self) <= 1 else {
            throw ValidationError(
                "Give one of --mix, --receiver, --chain, --graph, --large-graph, --watch, --streams, --model, --load, --sound, "
                    + "--resamplers and --check-instructions.")
        }
        if let processor, !Processors.allowed.contains(processor) {
            throw ValidationError("Processor \(processor) is not one of \(Processors.allowed).")
        }
    }

    func run() throws {
        let place = try Workplace(processor: processor ?? Processors.allowed.last ?? 0)
        defer { place.remove() }
        place.removeWhenInterrupted()

        if resamplers {
            let executable = place.executables.appendingPathComponent("resamplers").path
            print(try Program.run([executable], name: "resamplers", in: place).joined(separator: "\n"))
            return
        }
        var report = Report(processor: place.processor)
        let isAll = !parts.contains(true)
        if isAll { try TimeMeasurement(place: place, windows: windows, hasControl: control).run(into: &report) }
        if isAll || receiver { try ReceiverMeasurement(place: place, windows: windows).run(into: &report) }
        if isAll || chain {
            try ChainMeasurement(place: place, windows: windows, hasControl: control).run(into: &report)
        }
        if isAll || graph {
            try BusyGraphMeasurement(place: place, nodes: 300, links: 0, windows: 2 * windows).run(into: &report)
            try CrowdMeasurement(place: place).run(into: &report)
        }
        if largeGraph {
            try BusyGraphMeasurement(place: place, nodes: 1000, links: 2000, windows: 2 * windows).run(into: &report)
        }
        if isAll || watch { try WatchMeasurement(place: place, windows: windows).run(into: &report) }
        if isAll || mix { try MixMeasurement(place: place).run(into: &report) }
        if isAll || streams {
            try StreamMeasurement(place: place).run(into: &report)
            try ReadingMeasurement(place: place, windows: windows).run(into: &report)
        }
        if isAll || model { try GraphModelMeasurement(place: place).run(into: &report) }
        if isAll || load { try LoadMeasurement(place: place).run(into: &report) }
        if isAll || sound { try SoundMeasurement(place: place).run(into: &report) }
        if isAll || checkInstructions { try InstructionMeasurement(place: place).run(into: &report) }
        if isAll || receiver { try InstructionMeasurement(place: place).runReceivers(into: &report) }
        if isAll || streams { try InstructionMeasurement(place: place).runReaders(into: &report) }
        print(json ? try report.json : report.text)

        if checkInstructions, let failed = report.measures.first(where: { $0.ratio > $0.aim }) {
            throw BenchError(
                "Too many instructions: \(failed.ratio.formatted(places: 2)) times the peer's, and at most "
                    + "\(failed.aim.formatted(places: 2)) is meant. What libpipewire calls in a cycle has grown.")
        }
    }
}
