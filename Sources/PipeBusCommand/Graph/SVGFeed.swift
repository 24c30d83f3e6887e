// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// A source of a receiver: its name, level, place in the mix and latency, in one row.
struct SVGFeed {
    private let feed: GraphDiagram.Feed
    private let accent: String

    private let showsName: Bool

    /// - Parameter showsName: whether the source's name is shown in place of its title.
    init(_ feed: GraphDiagram.Feed, accent: String, showsName: Bool = false) {
        self.feed = feed
        self.accent = accent
        self.showsName = showsName
    }

    func draw(left: Double, right: Double, top: Double, on canvas: inout SVGCanvas) {
        let middle = top + DiagramLayout.feedHeight / 2
        canvas.circle(x: left, y: middle, radius: 3.5, fill: "#ffffff", stroke: accent)
        let lanes = feed.lanes.map(String.init).joined(separator: ",")
        canvas.text(
            lanes, x: left + 26, y: middle + 3.8, size: 10, weight: 600, colour: DiagramColours.quiet, anchor: "middle",
            width: 24)
        let name =
            // Before the title, whose end may be cut.
            (feed.isStalled ? "No answer: " : feed.isMonitor ? "Monitor: " : "")
            + (showsName ? ShellText.shown(feed.uniqueName) : feed.title) + feed.links.note
            + (feed.medium == .audio ? "" : " (\(feed.medium.word))")
        canvas.text(
            name, x: left + 42, y: middle + 4, size: 11.5,
            colour: feed.isSilent || feed.isStalled ? DiagramColours.quiet : DiagramColours.ink,
            width: right - left - 42 - taken)
        if let latency = feed.latency {
            canvas.text(
                DiagramText.milliseconds(latency), x: right - 18, y: middle + 4, size: 10.5,
                colour: DiagramColours.quiet, anchor: "end")
        }
        if let level = feed.level { draw(level, right: right - 84, middle: middle, on: &canvas) }
    }

    /// The width of what stands behind the name, with a gap before it.
    private var taken: Double {
        guard let level = feed.level else {
            return feed.latency.map { 18 + GlyphWidths.width(of: DiagramText.milliseconds($0), size: 10.5) + 8 } ?? 18
        }
        // The level with its bar, and a badge for each of mute and solo.
        return 252 + 20 * Double((level.isMuted ? 1 : 0) + (level.isSoloed ? 1 : 0))
    }

    private func draw(_ level: Source.Level, right: Double, middle: Double, on canvas: inout SVGCanvas) {
        let quiet = DiagramColours.quiet
        let colour = feed.isSilent ? DiagramColours.faint : accent
        // The mix, from left to right.
        let pan = (left: right - 36, width: 36.0)
        canvas.rect(x: pan.left, y: middle - 1.5, width: pan.width, height: 3, radius: 1.5, fill: "#e2e8f0")
        canvas.rect(
            x: pan.left + pan.width / 2 - 0.5, y: middle - 4, width: 1, height: 8, radius: 0, fill: DiagramColours.faint
        )
        canvas.circle(x: pan.left + pan.width * (level.pan + 1) / 2, y: middle, radius: 3.5, fill: colour)
        // The volume: 60 decibels of it.
        let bar = (left: right - 156, width: 56.0)
        let share = level.volume > 0 ? min(max(1 + level.volumeInDecibels / 60, 0), 1) : 0
        canvas.rect(x: bar.left, y: middle - 3, width: bar.width, height: 6, radius: 3, fill: "#e2e8f0")
        if share > 0 {
            canvas.rect(
                x: bar.left, y: middle - 3, width: max(bar.width * share, 6), height: 6, radius: 3, fill: colour)
        }
        canvas.text(
            DiagramText.volume(level), x: right - 46, y: middle + 3.8, size: 10, colour: quiet, anchor: "end")
        var end = bar.left - 8
        for (isSet, letter, fill) in [
            (level.isMuted, "M", DiagramColours.loop), (level.isSoloed, "S", DiagramColours.accent(of: .filter)),
        ] where isSet {
            canvas.rect(x: end - 16, y: middle - 8, width: 16, height: 16, radius: 4, fill: fill)
            canvas.text(letter, x: end - 8, y: middle + 3.8, size: 10, weight: 700, colour: "#ffffff", anchor: "middle")
            end -= 20
        }
    }
}
