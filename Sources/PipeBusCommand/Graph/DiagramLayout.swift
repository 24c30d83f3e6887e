// SPDX-License-Identifier: MIT

/// The places of everything in a picture, in points from the top left corner.
struct DiagramLayout {
    /// The ports of one app in one column.
    struct Card {
        /// The place in the diagram's apps.
        var app: Int
        var column: Int
        var x = 0.0
        var y = 0.0
        var width = 0.0
        var height = 0.0
        /// Places in the diagram's ports, with the top of each below that of the card.
        var ports: [(place: Int, offset: Double)]
        /// Apps come first in a column, then devices, then their monitors.
        var rank = 0
        /// Whether no port of it is connected.
        var isIdle = false
    }

    struct Line {
        var edge: DiagramLayers.Edge
        var isBackward: Bool
        /// Through the gaps between the cards; for a backward line the lowest point that it comes to.
        var points: [(x: Double, y: Double)]
    }

    static let headerHeight = 32.0
    static let portHeight = 42.0
    static let portGap = 6.0
    static let feedHeight = 24.0
    static let cardPadding = 8.0
    static let cardGap = 16.0
    static let columnGap = 120.0
    static let margin = 32.0
    static let top = 138.0
    private static let narrow = 264.0
    private static let wide = 430.0

    private(set) var cards: [Card] = []
    private(set) var lines: [Line] = []
    /// The left end of each column, and its width.
    private(set) var columns: [(x: Double, width: Double)] = []
    private(set) var width = 0.0
    private(set) var height = 0.0
    let layers: DiagramLayers

    init(_ diagram: GraphDiagram) {
        let ports = diagram.ports
        layers = DiagramLayers(ports)
        makeCards(diagram)
        makeColumns(ports)
        var stacks = DiagramStacks(cards, layers, columnCount: layers.columnCount) { place, feed in
            Self.inlet(of: ports[place], feed: feed)
        }
        stacks.settle()
        for place in cards.indices { cards[place].y = stacks.top(ofCard: place) + Self.top }
        makeLines(stacks, ports)
        width = max((columns.last.map { $0.x + $0.width } ?? 0) + Self.margin, 760)
        let lowest = cards.map { $0.y + $0.height }.max() ?? Self.top
        height = max(lowest, lines.flatMap(\.points).map(\.y).max() ?? 0) + Self.margin
    }

    /// The height of a port, with a row for each source of a receiver.
    static func height(of port: GraphDiagram.Port) -> Double {
        portHeight + (port.lanes == nil ? 0 : Double(port.feeds.count) * feedHeight)
    }

    /// The point where sound enters a port, below the port's top.
    static func inlet(of port: GraphDiagram.Port, feed: Int?) -> Double {
        guard let feed, port.lanes != nil else { return portHeight / 2 }
        return portHeight + (Double(feed) + 0.5) * feedHeight
    }

    private mutating func makeCards(_ diagram: GraphDiagram) {
        let connected = Set(layers.edges.flatMap { [$0.source, $0.destination] })
        var place = 0
        for (app, entry) in diagram.apps.enumerated() {
            var own: [Int: Card] = [:]
            for port in entry.ports {
                let column = layers.columns[place]
                var card = own[column] ?? Card(app: app, column: column, height: Self.headerHeight, ports: [])
                card.ports.append((place, card.height))
                card.height += Self.height(of: port) + Self.portGap
                own[column] = card
                place += 1
            }
            for var card in own.values.sorted(by: { $0.column < $1.column }) {
                card.height += Self.cardPadding - Self.portGap
                card.rank = entry.kind == .devices ? 1 : entry.kind == .monitors ? 2 : 0
                card.isIdle = card.ports.allSatisfy { !connected.contains($0.place) }
                cards.append(card)
            }
        }
    }

    private mutating func makeColumns(_ ports: [GraphDiagram.Port]) {
        var x = Self.margin
        for column in 0..<layers.columnCount {
            let own = cards.filter { $0.column == column }
            let hasLevels = own.contains {
                $0.ports.contains { ports[$0.place].lanes != nil && !ports[$0.place].feeds.isEmpty }
            }
            let width = hasLevels ? Self.wide : Self.narrow
            columns.append((x, width))
            x += width + Self.columnGap
        }
        for place in cards.indices {
            cards[place].x = columns[cards[place].column].x
            cards[place].width = columns[cards[place].column].width
        }
    }

    private mutating func makeLines(_ stacks: DiagramStacks, _ ports: [GraphDiagram.Port]) {
        var backward = 0
        for edge in layers.edges {
            let (from, to) = (columns[layers.columns[edge.source]], columns[layers.columns[edge.destination]])
            let start = (x: from.x + from.width, y: stacks.outlet(of: edge.source) + Self.top)
            let end = (x: to.x, y: stacks.inlet(of: edge.destination, feed: edge.feed) + Self.top)
            guard layers.leadsBack(edge) else {
                let between = stacks.passages(of: edge).flatMap { column, y in
                    [columns[column].x, columns[column].x + columns[column].width].map { (x: $0, y: y + Self.top) }
                }
                lines.append(Line(edge: edge, isBackward: false, points: [start] + between + [end]))
                continue
            }
            let span = layers.columns[edge.destination]...layers.columns[edge.source]
            let lowest = cards.filter { span.contains($0.column) }.map { $0.y + $0.height }.max() ?? Self.top
            let y = lowest + 22 + Double(backward % 8) * 9
            backward += 1
            lines.append(Line(edge: edge, isBackward: true, points: [start, (start.x, y), (end.x, y), end]))
        }
    }
}
