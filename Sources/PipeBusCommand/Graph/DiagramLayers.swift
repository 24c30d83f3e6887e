// SPDX-License-Identifier: MIT

/// The columns of a picture: senders first, receivers last, and each filter behind what feeds it. Connections that close a
/// loop lead backwards. A receiver and the senders that follow it, as of a mixer, are placed as one filter.
struct DiagramLayers {
    struct Edge {
        /// Places in the diagram's ports.
        var source: Int
        var destination: Int
        /// The place in the destination's ``GraphDiagram/Port/feeds``.
        var feed: Int
    }

    enum Content { case senders, filters, receivers }

    let edges: [Edge]
    /// The column of each port, from 0.
    let columns: [Int]
    /// What is in each column.
    let contents: [Content]
    var columnCount: Int { contents.count }

    init(_ ports: [GraphDiagram.Port]) {
        let places = Dictionary(
            ports.enumerated().map { ($0.element.key, $0.offset) }, uniquingKeysWith: { first, _ in first })
        let edges = ports.enumerated().flatMap { destination, port in
            port.feeds.enumerated().compactMap { feed, entry in
                places[entry.source].map { Edge(source: $0, destination: destination, feed: feed) }
            }
        }
        self.edges = edges
        // Each port, or the receiver that it follows.
        let units = ports.enumerated().map { place, port in port.follows.flatMap { places[$0] } ?? place }
        let followed = Set(units.enumerated().filter { $0.offset != $0.element }.map(\.element))
        let isBetween = ports.enumerated().map { place, port in
            port.kind == .filter || port.kind == .capture && !port.feeds.isEmpty || followed.contains(place)
        }
        var columns = Self.middleColumns(
            isBetween, edges.map { Edge(source: units[$0.source], destination: units[$0.destination], feed: 0) })
        let last = (columns.max() ?? 0) + 1
        for (place, port) in ports.enumerated() where !isBetween[place] {
            switch port.kind {
            case .sender, .capture, .monitor: columns[place] = columns[units[place]]
            case .filter: break
            case .receiver, .playback: columns[place] = last
            }
        }
        // Without those that nothing is in.
        let used = Set(columns).sorted()
        let numbers = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($0.element, $0.offset) })
        self.columns = columns.map { numbers[$0] ?? 0 }
        contents = used.map { $0 == 0 ? .senders : $0 == last ? .receivers : .filters }
    }

    func leadsBack(_ edge: Edge) -> Bool { columns[edge.source] >= columns[edge.destination] }

    /// The columns of filters: 1, or one more than the greatest of the filters that feed it. 0 for other ports.
    private static func middleColumns(_ isFilter: [Bool], _ edges: [Edge]) -> [Int] {
        var next = [[Int]](repeating: [], count: isFilter.count)
        var isFedByFilter = [Bool](repeating: false, count: isFilter.count)
        for edge in edges where isFilter[edge.source] && isFilter[edge.destination] {
            next[edge.source].append(edge.destination)
            isFedByFilter[edge.destination] = true
        }
        // Depth first, from the filters that senders feed: an edge to a filter that is not finished closes a loop.
        let isFed = Set(edges.filter { !isFilter[$0.source] }.map(\.destination))
        let starts = isFilter.indices.filter { isFilter[$0] }.sorted {
            (isFedByFilter[$0] ? 1 : 0, isFed.contains($0) ? 0 : 1, $0)
                < (isFedByFilter[$1] ? 1 : 0, isFed.contains($1) ? 0 : 1, $1)
        }
        var isSeen = [Bool](repeating: false, count: isFilter.count)
        var isFinished = isSeen
        var finished: [Int] = []
        var forward = [[Int]](repeating: [], count: isFilter.count)
        for start in starts where !isSeen[start] {
            isSeen[start] = true
            var steps = [(port: start, next: 0)]
            while let step = steps.last {
                guard step.next < next[step.port].count else {
                    isFinished[step.port] = true
                    finished.append(step.port)
                    steps.removeLast()
                    continue
                }
                steps[steps.count - 1].next += 1
                let port = next[step.port][step.next]
                if !isSeen[port] || isFinished[port] { forward[step.port].append(port) }
                guard !isSeen[port] else { continue }
                isSeen[port] = true
                steps.append((port, 0))
            }
        }
        var columns = isFilter.map { $0 ? 1 : 0 }
        for port in finished.reversed() {
            for next in forward[port] { columns[next] = max(columns[next], columns[port] + 1) }
        }
        return columns
    }
}
