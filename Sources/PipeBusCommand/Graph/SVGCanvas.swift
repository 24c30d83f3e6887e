// SPDX-License-Identifier: MIT
import PipeBusApps
import ToolSupport

/// The elements of an SVG picture, one after the other. Every text is escaped here.
struct SVGCanvas {
    private var elements: [String] = []

    /// The longest text without a width of its own, in columns.
    private static let longestText = 200

    static func number(_ value: Double) -> String {
        value == value.rounded() ? Decimal.text(value) : Decimal.text(value, digits: 1)
    }

    func document(width: Double, height: Double, title: String) -> String {
        let (w, h) = (Self.number(width.rounded(.up)), Self.number(height.rounded(.up)))
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(w)" height="\(h)" viewBox="0 0 \(w) \(h)" role="img" \
            font-family="Inter, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif">
            <title>\(DiagramText.xml(title))</title>
            <rect width="\(w)" height="\(h)" fill="\(DiagramColours.paper)"/>
            \(elements.joined(separator: "\n"))
            </svg>
            """
    }

    // MARK: Elements

    /// Text that is cut to a width. `x` is its left end, its middle or its right end.
    mutating func text(
        _ text: String, x: Double, y: Double, size: Double, weight: Int = 400, colour: String = DiagramColours.ink,
        anchor: String = "start", spacing: Double = 0, width: Double? = nil
    ) {
        let bounded = DiagramText.bounded(text, to: Self.longestText)
        let fitted = width.map { GlyphWidths.fit(bounded, to: $0, size: size, isBold: weight >= 600) }
        let shown = DiagramText.xml(fitted ?? bounded)
        let extra =
            (weight == 400 ? "" : " font-weight=\"\(weight)\"")
            + (anchor == "start" ? "" : " text-anchor=\"\(anchor)\"")
            + (spacing == 0 ? "" : " letter-spacing=\"\(Self.number(spacing))\"")
        elements.append(
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" font-size=\"\(Self.number(size))\" fill=\"\(colour)\"\(extra)>\(shown)</text>"
        )
    }

    mutating func rect(
        x: Double, y: Double, width: Double, height: Double, radius: Double, fill: String, stroke: String? = nil,
        opacity: Double = 1
    ) {
        let frame = stroke.map { " stroke=\"\($0)\"" } ?? ""
        let seen = opacity == 1 ? "" : " opacity=\"\(Decimal.text(opacity, digits: 2))\""
        elements.append(
            "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\" height=\"\(Self.number(height))\" rx=\"\(Self.number(radius))\" fill=\"\(fill)\"\(frame)\(seen)/>"
        )
    }

    mutating func circle(x: Double, y: Double, radius: Double, fill: String, stroke: String? = nil) {
        let frame = stroke.map { " stroke=\"\($0)\" stroke-width=\"2\"" } ?? ""
        elements.append(
            "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\" fill=\"\(fill)\"\(frame)/>"
        )
    }

    /// A path of the picture's own, in a box of 16 by 16 points.
    mutating func sign(_ path: StaticString, x: Double, y: Double, colour: String) {
        elements.append(
            "<path transform=\"translate(\(Self.number(x)) \(Self.number(y)))\" d=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.7\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
        )
    }

    /// The width and the height of icons.
    static let iconSize = 20.0

    /// Puts an icon into the picture, to be drawn any number of times. A picture within a picture runs no scripts and loads nothing.
    mutating func define(_ icon: IconImage, as id: String) {
        elements.append(
            "<defs><image id=\"\(id)\" width=\"\(Self.number(Self.iconSize))\" height=\"\(Self.number(Self.iconSize))\" href=\"\(icon.address)\"/></defs>"
        )
    }

    mutating func icon(_ id: String, x: Double, y: Double) {
        elements.append("<use href=\"#\(id)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"/>")
    }

    mutating func open(tip: String) {
        elements.append("<g><title>\(DiagramText.xml(DiagramText.bounded(tip, to: 900)))</title>")
    }
    /// What follows, up to ``close()``, is faint.
    mutating func openFaint() { elements.append("<g opacity=\"0.6\">") }
    mutating func close() { elements.append("</g>") }

    // MARK: Connections

    /// Where the arrow of a line ends, left of the line's end.
    private static let arrowGap = 4.0

    /// A line from point to point, with an arrow at its end.
    mutating func connection(
        _ points: [(x: Double, y: Double)], isBackward: Bool, colour: String, isDashed: Bool, tip: String
    ) {
        guard let end = points.last else { return }
        let dash = isDashed ? " stroke-dasharray=\"5 4\"" : ""
        let x = end.x - Self.arrowGap
        let arrow =
            "M\(Self.point(x - 8, end.y - 4.5)) L\(Self.point(x, end.y)) L\(Self.point(x - 8, end.y + 4.5)) Z"
        open(tip: tip)
        elements.append(
            "<path d=\"\(Self.path(points, isBackward))\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"\(dash)/>"
        )
        elements.append("<path d=\"\(arrow)\" fill=\"\(colour)\"/>")
        close()
    }

    /// The background of a line, which cuts the lines that it crosses.
    mutating func gap(_ points: [(x: Double, y: Double)], isBackward: Bool) {
        elements.append(
            "<path d=\"\(Self.path(points, isBackward))\" fill=\"none\" stroke=\"\(DiagramColours.paper)\" stroke-width=\"6\"/>"
        )
    }

    private static func point(_ x: Double, _ y: Double) -> String { "\(number(x)) \(number(y))" }

    private static func path(_ points: [(x: Double, y: Double)], _ isBackward: Bool) -> String {
        guard var last = points.first, let end = points.last else { return "" }
        last.x += 4
        // The arrow covers the end.
        let endX = end.x - arrowGap - 6
        var path = "M\(point(last.x, last.y))"
        if isBackward, points.count == 4 {
            let bend = 56.0
            path +=
                " C\(point(last.x + bend, last.y)) \(point(last.x + bend, points[1].y)) \(point(last.x, points[1].y))"
            path += " L\(point(points[2].x, points[2].y))"
            return path + " C\(point(endX - bend, points[2].y)) \(point(endX - bend, end.y)) \(point(endX, end.y))"
        }
        for (place, next) in points.dropFirst().enumerated() {
            let x = place == points.count - 2 ? endX : next.x
            // Straight through a column, curved between two.
            if place.isMultiple(of: 2) {
                let middle = (last.x + x) / 2
                path += " C\(point(middle, last.y)) \(point(middle, next.y)) \(point(x, next.y))"
            } else {
                path += " L\(point(x, next.y))"
            }
            last = (x, next.y)
        }
        return path
    }
}
