// SPDX-License-Identifier: MIT

/// The content of a recording of `clock-sender` (Tests/ClockSender), as runs.
///
/// Frames at their place by the graph's clock have one offset from beginning to end. Each frame that is wrong, late,
/// missing or faded ends a run.
package struct ClockRuns: Sendable, CustomStringConvertible {
    package enum Content: Sendable, Hashable {
        /// Frame n holds the count n + offset, modulo 2²⁰.
        case count(offset: Int)
        case silence
        /// Neither a count nor silence, such as a faded frame.
        case other
    }

    package struct Run: Sendable, Hashable {
        package var content: Content
        package var start: Int
        package var length: Int
    }

    package private(set) var runs: [Run] = []

    private static let modulus = 1 << 20

    private var frameCount = 0

    package init() {}

    /// - Parameter channels: the left and the right one; the left alone is believed by itself.
    package init(_ channels: [[Float]]) {
        let left = channels.first ?? []
        for (frame, sample) in left.enumerated() { append(sample, channels.count > 1 ? channels[1][frame] : -sample) }
    }

    /// The next frame.
    package mutating func append(_ left: Float, _ right: Float) {
        let content = right == -left ? Self.content(of: left, at: frameCount) : .other
        if let last = runs.indices.last, runs[last].content == content {
            runs[last].length += 1
        } else {
            runs.append(Run(content: content, start: frameCount, length: 1))
        }
        frameCount += 1
    }

    private static func content(of sample: Float, at frame: Int) -> Content {
        if sample == 0 { return .silence }
        let count = sample * Float(modulus) - 1
        guard count.isFinite, count >= 0, count < Float(modulus), count.rounded() == count else { return .other }
        return .count(offset: (Int(count) - frame) & (modulus - 1))
    }

    /// The runs that are counts.
    package var counts: [Run] {
        runs.filter { if case .count = $0.content { true } else { false } }
    }

    /// The offsets that occur, each once, in the order in which they come.
    package var offsets: [Int] {
        counts.reduce(into: []) { offsets, run in
            if case .count(let offset) = run.content, !offsets.contains(offset) { offsets.append(offset) }
        }
    }

    /// Frames that are counts with an offset.
    package func frames(at offset: Int) -> Int {
        runs.filter { $0.content == .count(offset: offset) }.reduce(0) { $0 + $1.length }
    }

    /// Frames that are neither a count nor silence.
    package var otherFrames: Int { runs.filter { $0.content == .other }.reduce(0) { $0 + $1.length } }

    /// Silent frames between the first and the last count.
    package var silentFramesWithin: Int {
        guard let first = counts.first, let last = counts.last else { return 0 }
        return runs.filter { $0.content == .silence && $0.start > first.start && $0.start < last.start }
            .reduce(0) { $0 + $1.length }
    }

    package var description: String {
        let shown = runs.prefix(40).map { run in
            switch run.content {
            case .count(let offset): "\(run.start): \(run.length) at offset \(offset)"
            case .silence: "\(run.start): \(run.length) silent"
            case .other: "\(run.start): \(run.length) that are no count"
            }
        }
        return shown.joined(separator: "\n") + (runs.count > 40 ? "\n… and \(runs.count - 40) more runs" : "")
    }
}
