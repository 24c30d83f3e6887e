// SPDX-License-Identifier: MIT

/// Puts cards on top of each other in columns, near what they are connected with. Lines that pass a column have a place in
/// it, so that they go between the cards.
struct DiagramStacks {
    private enum Content {
        case card(Int)
        /// The lines of one port on their way.
        case passage(source: Int)
    }

    private struct Slot {
        var content: Content
        var height: Double
        var top = 0.0
        /// Apps, then devices, then monitors.
        var rank = 0
        /// Whether it is a card of ports that are not connected: it goes below all others.
        var isIdle = false
    }

    /// An end of a line: a slot, and a point below its top.
    private struct End {
        var column: Int
        var slot: Int
        var offset: Double
    }

    private static let passageHeight = 4.0
    private static let rounds = 12

    private var slots: [[Slot]]
    /// The order of the slots in each column, from the top.
    private var orders: [[Int]]
    /// The lines between neighbouring columns, from the left end to the right one.
    private var pieces: [(left: End, right: End)] = []
    private var cardSlots: [(column: Int, slot: Int)] = []
    private var portEnds: [Int: End] = [:]
    private var passages: [Int: [Int: Int]] = [:]
    private let edges: [DiagramLayers.Edge]
    private let portColumns: [Int]
    private let inlet: (_ port: Int, _ feed: Int?) -> Double

    /// - Parameter inlet: the point where a source's sound enters a port, below the port's top.
    init(
        _ cards: [DiagramLayout.Card], _ layers: DiagramLayers, columnCount: Int,
        inlet: @escaping (_ port: Int, _ feed: Int?) -> Double
    ) {
        slots = Array(repeating: [], count: columnCount)
        edges = layers.edges
        portColumns = layers.columns
        self.inlet = inlet
        orders = []
        for (place, card) in cards.enumerated() {
            cardSlots.append((card.column, slots[card.column].count))
            for port in card.ports {
                portEnds[port.place] = End(column: card.column, slot: slots[card.column].count, offset: port.offset)
            }
            slots[card.column].append(
                Slot(content: .card(place), height: card.height, rank: card.rank, isIdle: card.isIdle))
        }
        for edge in edges where !layers.leadsBack(edge) { addPieces(of: edge) }
        orders = slots.map { Array($0.indices) }
        for column in slots.indices { stack(column) { _ in nil } }
    }

    private mutating func addPieces(of edge: DiagramLayers.Edge) {
        guard var left = portEnds[edge.source], let end = portEnds[edge.destination] else { return }
        left.offset += inlet(edge.source, nil)
        for column in left.column + 1..<max(end.column, left.column + 1) {
            let isNew = passages[edge.source]?[column] == nil
            let slot = passages[edge.source]?[column] ?? slots[column].count
            let right = End(column: column, slot: slot, offset: Self.passageHeight / 2)
            if isNew {
                slots[column].append(Slot(content: .passage(source: edge.source), height: Self.passageHeight))
                passages[edge.source, default: [:]][column] = slot
                pieces.append((left, right))
            }
            left = right
        }
        pieces.append(
            (left, End(column: end.column, slot: end.slot, offset: end.offset + inlet(edge.destination, edge.feed))))
    }

    // MARK: Settling

    /// Moves everything towards its neighbours, from the left and from the right in turn.
    mutating func settle() {
        let toTheLeft = Dictionary(grouping: pieces, by: \.right.column)
        let toTheRight = Dictionary(grouping: pieces, by: \.left.column)
        for round in 0..<Self.rounds {
            let isForward = round.isMultiple(of: 2)
            for column in isForward ? Array(slots.indices) : slots.indices.reversed() {
                var wishes: [Int: (sum: Double, count: Double)] = [:]
                func wish(_ own: End, _ other: End) {
                    let top = slots[other.column][other.slot].top + other.offset - own.offset
                    wishes[own.slot, default: (0, 0)].sum += top
                    wishes[own.slot, default: (0, 0)].count += 1
                }
                if isForward || round > Self.rounds / 2 {
                    for piece in toTheLeft[column] ?? [] { wish(piece.right, piece.left) }
                }
                if !isForward || round > Self.rounds / 2 {
                    for piece in toTheRight[column] ?? [] { wish(piece.left, piece.right) }
                }
                stack(column) { slot in wishes[slot].map { $0.sum / $0.count } }
            }
        }
        let highest = slots.joined().filter { !$0.isIdle }.map(\.top).min() ?? 0
        for column in slots.indices {
            for slot in slots[column].indices { slots[column][slot].top -= highest }
            var end = 0.0
            for slot in orders[column] {
                if slots[column][slot].isIdle { slots[column][slot].top = end }
                end = slots[column][slot].top + slots[column][slot].height + DiagramLayout.cardGap
            }
        }
    }

    /// Orders a column by where its slots wish to be, and puts them as near to that as they fit.
    private mutating func stack(_ column: Int, _ wish: (Int) -> Double?) {
        let own = slots[column]
        let wishes = own.indices.map { wish($0) ?? own[$0].top }
        let order = orders[column].enumerated().sorted { one, other in
            let (first, second) = (own[one.element], own[other.element])
            return (first.isIdle ? 1 : 0, first.rank, wishes[one.element] + first.height / 2, one.offset)
                < (second.isIdle ? 1 : 0, second.rank, wishes[other.element] + second.height / 2, other.offset)
        }.map(\.element)
        orders[column] = order
        // The least sum of squares: slots that would overlap form a block, which goes to the mean of their wishes.
        var blocks: [(sum: Double, count: Int)] = []
        var offset = 0.0
        var offsets: [Double] = []
        for slot in order.prefix(while: { !own[$0].isIdle }) {
            offsets.append(offset)
            blocks.append((wishes[slot] - offset, 1))
            offset += own[slot].height + DiagramLayout.cardGap
            while blocks.count > 1, let last = blocks.last {
                let previous = blocks[blocks.count - 2]
                guard previous.sum / Double(previous.count) > last.sum / Double(last.count) else { break }
                blocks.removeLast(2)
                blocks.append((previous.sum + last.sum, previous.count + last.count))
            }
        }
        var place = 0
        for block in blocks {
            for _ in 0..<block.count {
                slots[column][order[place]].top = block.sum / Double(block.count) + offsets[place]
                place += 1
            }
        }
    }

    // MARK: Results

    func top(ofCard card: Int) -> Double { slots[cardSlots[card].column][cardSlots[card].slot].top }

    func outlet(of port: Int) -> Double { inlet(of: port, feed: nil) }

    func inlet(of port: Int, feed: Int?) -> Double {
        guard let end = portEnds[port] else { return 0 }
        return slots[end.column][end.slot].top + end.offset + inlet(port, feed)
    }

    /// The columns that a line passes, and its height in each.
    func passages(of edge: DiagramLayers.Edge) -> [(column: Int, y: Double)] {
        (portColumns[edge.source] + 1..<max(portColumns[edge.destination], portColumns[edge.source] + 1)).compactMap {
            column in
            passages[edge.source]?[column].map { (column, slots[column][$0].top + Self.passageHeight / 2) }
        }
    }
}
