// SPDX-License-Identifier: MIT
import Foundation

/// All figures of a run, and what one must know to judge them.
struct Report: Encodable {
    var measures: [Measure] = []
    /// The library's receiver beside the same mix in C.
    var receivers: [Measure] = []
    /// Filters of the library in series beside as many in C.
    var chains: [Measure] = []
    /// Apps of the library beside `pw-mon` in a graph that others change: milliseconds of processor time a second.
    var busyGraphs: [Measure] = []
    /// A hundred apps of the library beside a hundred in C, while another client links other nodes: milliseconds.
    var crowds: [Measure] = []
    /// What it costs to watch for sources that hang.
    var watches: [WatchCost] = []
    /// What streams are made of, and a reader's call: nanoseconds.
    var streams: [Measure] = []
    /// What a change of the graph costs, and what questions about it cost: nanoseconds.
    var models: [Measure] = []
    /// Of the graph too, without a peer.
    var graphFigures: [GraphFigure] = []
    /// The whole graph of a daemon beside `pw-dump | jq`: milliseconds.
    var loads: [Measure] = []
    /// From the request for a connection until its source is heard, beside C: microseconds.
    var sounds: [Measure] = []
    /// The library's mix beside PipeWire's own.
    var mixes: [MixComparison] = []
    let frames = Daemon.frames
    let processor: Int
    /// How the audio threads were scheduled: one entry if alike.
    var schedulings: Set<String> = []
    var windows = 0
    /// Windows in which cycles were lost.
    var discardedWindows = 0
    /// What was not measured, and why.
    var notes: [String] = []

    init(processor: Int) { self.processor = processor }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    var text: String {
        var lines: [String] = []
        if !measures.isEmpty {
            lines.append(Measure.heading("\(frames) frames a cycle"))
            lines += measures.map(\.text)
        }
        if !receivers.isEmpty {
            lines.append(Measure.heading("receiver of 8 stereo sources"))
            lines += receivers.map(\.text)
        }
        if !chains.isEmpty {
            lines.append(Measure.heading("stereo filters in series"))
            lines += chains.map(\.text)
        }
        if !busyGraphs.isEmpty {
            lines.append(Measure.heading("idle while links come and go, to pw-mon"))
            lines += busyGraphs.map(\.text)
        }
        if !crowds.isEmpty {
            lines.append(
                Measure.heading("\(CrowdMeasurement.clients) apps, \(CrowdMeasurement.calls) calls of pw-link, to C"))
            lines += crowds.map(\.text)
        }
        if !watches.isEmpty {
            lines.append(WatchCost.heading)
            lines += watches.map(\.text)
        }
        if !streams.isEmpty {
            lines.append(Measure.heading("streams, stereo"))
            lines += streams.map(\.text)
        }
        if !models.isEmpty {
            lines.append(Measure.heading("the graph, pure", width: 72))
            lines += models.map { $0.text(width: 72) }
        }
        if !loads.isEmpty {
            lines.append(Measure.heading("the whole graph of a daemon"))
            lines += loads.map(\.text)
        }
        lines += graphFigures.map(\.text)
        if !sounds.isEmpty {
            lines.append(Measure.heading("from connect to sound"))
            lines += sounds.map(\.text)
        }
        lines += notes
        if !mixes.isEmpty {
            lines.append(MixComparison.heading)
            lines += mixes.map(\.text)
        }
        if windows > 0 {
            lines.append(
                "processor \(processor), scheduled \(schedulings.sorted().joined(separator: ", ")), \(windows) windows"
                    + (discardedWindows > 0 ? ", \(discardedWindows) discarded for lost cycles" : ""))
        }
        if schedulings.count > 1 {
            lines.append("The programs were not scheduled alike, so their times do not compare.")
        }
        return lines.joined(separator: "\n")
    }
}
