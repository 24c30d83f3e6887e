// SPDX-License-Identifier: MIT

extension GraphSnapshot {
    /// The pipelines of the whole graph, ordered by the ports that they begin at.
    ///
    /// - Complexity: O(*n* + *m*) in the number of ports and of connections, and O(*p*) in the number of ports in all
    ///   pipelines, which is bounded.
    public var pipelines: PipelineList {
        let names = StableName.all(in: self)
        let graph = PathGraph(self, names: names)
        return pipelines(graph, names, from: graph.starts, through: nil)
    }

    /// The pipelines that a port is part of, ordered by the ports that they begin at. Their ids are those of
    /// ``pipelines``.
    ///
    /// In a graph of very many loops the search may be given up before it comes to the port:
    /// ``PipelineList/isComplete`` is then false.
    public func pipelines(of port: GraphPort.ID) -> PipelineList {
        guard let target = ports.firstIndex(where: { $0.id == port }) else {
            return PipelineList([], isComplete: true)
        }
        let names = StableName.all(in: self)
        let graph = PathGraph(self, names: names)
        let sources = graph.sources(of: target)
        return pipelines(
            graph, names, from: graph.starts.filter { $0 == target || sources.contains($0) }, through: (target, sources)
        )
    }

    /// Takes one path from each port in turn: a port from which very many paths lead leaves room for the others.
    private func pipelines(
        _ graph: PathGraph, _ names: [StableName], from starts: [Int], through target: (port: Int, sources: Set<Int>)?
    ) -> PipelineList {
        var found: [(start: Int, pipeline: Pipeline)] = []
        var searches = starts.prefix(PipelineList.limit).enumerated().map { place, start in
            (start: place, search: PathSearch(graph, from: start, through: target))
        }
        let ports = ports
        var portCount = 0
        var isComplete = true
        while !searches.isEmpty {
            var others: [(start: Int, search: PathSearch)] = []
            for (start, var search) in searches {
                guard let path = search.next() else {
                    if search.isExhausted { isComplete = false }
                    continue
                }
                guard found.count < PipelineList.limit, portCount < PipelineList.portLimit else {
                    isComplete = false
                    others = []
                    break
                }
                portCount += path.count
                found.append((start, Self.pipeline(path, of: ports, graph, names)))
                others.append((start, search))
            }
            searches = others
        }
        // The sort is not stable by itself.
        let order = found.indices.sorted { (found[$0].start, $0) < (found[$1].start, $1) }
        return PipelineList(
            order.map { found[$0].pipeline }, isComplete: isComplete && starts.count <= PipelineList.limit)
    }

    private static func pipeline(
        _ path: [Int], of ports: [GraphPort], _ graph: PathGraph, _ names: [StableName]
    ) -> Pipeline {
        let isLoop = path.last.map { graph.passes[$0] && !graph.successors[$0].isEmpty } ?? false
        return Pipeline(
            id: Pipeline.ID(hash: StableName.hash(of: path.lazy.map { names[$0] })), ports: path.map { ports[$0] },
            isLoop: isLoop)
    }
}
