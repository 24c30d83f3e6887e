// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Keeps the order that is declared with `after:`. PipeWire runs nodes without a link between them in any order. So a
/// link is made for it, between ports without data. See decision 6. Confined to the loop.
final class OrderKeeper {
    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let links: LinkTable
    private let notices: NoticeLog
    /// Starts a task that calls ``repair(_:under:)``.
    private let startRepair: @Sendable (PortOrder.Pair) -> Void
    private var orderLinks = OrderLinks()

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        _ links: LinkTable, notices: NoticeLog, startRepair: @escaping @Sendable (PortOrder.Pair) -> Void
    ) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
        self.links = links
        self.notices = notices
        self.startRepair = startRepair
    }

    /// The order ports that a node gets when it is made: adding them later holds the audio thread.
    func orderPorts(of declaration: PortDeclaration) -> [FilterNode.PortSpec] {
        let hasPredecessors = declared.order.hasPredecessors(declaration.name)
        // A port with a predecessor is likely to get a successor as well.
        let maySucceed = declared.order.isNamed(declaration.name) || hasPredecessors
        return (hasPredecessors ? [orderPort(isInput: true)] : []) + (maySucceed ? [orderPort(isInput: false)] : [])
    }

    private func orderPort(isInput: Bool) -> FilterNode.PortSpec {
        FilterNode.PortSpec(
            isInput: isInput,
            properties: [
                ("format.dsp", OrderPort.format), ("port.name", isInput ? OrderPort.input : OrderPort.output),
                ("port.group", "order"),
                // Passive, so that the link makes no node run. 0.3.65 ignores this, and reads the link's own property.
                ("port.passive", "true"),
            ])
    }

    /// Makes the links that a new port's order needs. When the call returns, the order holds.
    func addLinks(of port: LivePort) async throws {
        for pair in declared.order.pairs(of: port.name, among: presentNames) {
            do throws(PipeWireError) {
                try await makeLink(pair)
            } catch {
                // Without one of the two ports there is no order to keep.
                guard !isComplete(pair) else { throw PipeBusError(error) }
            }
        }
    }

    /// Releases the links of a port that leaves the graph.
    func removeLinks(of name: String) {
        for link in orderLinks.removeAll(of: name) { links.release(link) }
    }

    // MARK: Links

    private var presentNames: Set<String> { Set(ports.map(\.name)) }

    private func isComplete(_ pair: PortOrder.Pair) -> Bool {
        connection.isOpen && ports[pair.before] != nil && ports[pair.after] != nil
    }

    private func makeLink(_ pair: PortOrder.Pair) async throws(PipeWireError) {
        guard let before = ports[pair.before] else { return }
        try await addOrderOutput(to: before)
        guard connection.isOpen, isComplete(pair), orderLinks[pair] == nil else { return }
        try startLink(pair)
        // With its answer the daemon reports whether the link is a feedback link.
        try await connection.pipeWire.sync()
        guard let link = orderLinks[pair], link.isFeedback == true else { return try check(pair) }
        try relinkBehindOrder(pair)
        try await connection.pipeWire.sync()
        try check(pair)
    }

    /// Adds the order output to a port that was made before its first successor. Idempotent.
    private func addOrderOutput(to port: LivePort) async throws(PipeWireError) {
        guard connection.isOpen, model.reducer.orderPort(ofNode: port.nodeID, isInput: false) == nil else { return }
        try port.node.addOrderPort(orderPort(isInput: false))
        // The node's port comes with the first round trip, its global with the second.
        for _ in 0..<2 { try await connection.pipeWire.sync() }
    }

    private func startLink(_ pair: PortOrder.Pair) throws(PipeWireError) {
        guard connection.isOpen, let before = ports[pair.before], let after = ports[pair.after],
            let output = model.reducer.orderPort(ofNode: before.nodeID, isInput: false),
            let input = model.reducer.orderPort(ofNode: after.nodeID, isInput: true)
        else { throw .badPort(reason: "the daemon does not show the ports that keep the order") }
        let link = try links.make(LinkTable.Key(output: output, input: input), isPassive: true) { [weak self] in
            if let self, connection.isOpen { startRepair(pair) }
        }
        orderLinks.insert(link, for: pair)
    }

    private func check(_ pair: PortOrder.Pair) throws(PipeWireError) {
        guard isComplete(pair) else { return }
        guard let link = orderLinks[pair], !link.isLost else { throw .linkRemoved }
        guard link.isFeedback != true else {
            throw .negotiationFailed(reason: "others connected the two in a circle")
        }
    }

    /// Makes the order's link again, and then the audio links that close a loop with it.
    ///
    /// It is called when there already was a path for audio from the later port to the earlier one. Then PipeWire made
    /// the order's link the feedback link. PipeWire does so with the link of a loop that is made last. After this call
    /// that is an audio link at the end of the path, and its sound is one cycle late.
    private func relinkBehindOrder(_ pair: PortOrder.Pair) throws(PipeWireError) {
        guard connection.isOpen, let after = ports[pair.after] else { return }
        let names = declared.order.allBefore(pair.after, among: presentNames)
        let earlier = Set(ports.filter { names.contains($0.name) }.map(\.nodeID))
        let ids = model.reducer.links(closingLoopsFrom: after.nodeID, into: earlier)
        let keys = ids.compactMap { id in
            model.reducer.ends(ofLink: id).map { LinkTable.Key(output: $0.output, input: $0.input) }
        }
        dropLink(pair)
        // Without a wait in between, so that no other change comes between these requests.
        for (id, key) in zip(ids, keys) {
            if let own = links[key] { links.release(own) } else { try links.destroy(id: id) }
        }
        try startLink(pair)
        for key in keys { try links.make(key) }
    }

    private func dropLink(_ pair: PortOrder.Pair) {
        if let link = orderLinks.remove(pair) { links.release(link) }
    }

    /// Makes an order's link again that another program removed. It is made again once: a second removal is intended.
    func repair(_ pair: PortOrder.Pair, under creationLock: AsyncLock) async {
        guard orderLinks[pair]?.isLost == true else { return }
        // The links of a port that is removed are reported before the port.
        try? await connection.pipeWire.sync()
        await creationLock.withLock { await replaceLink(pair) }
    }

    private func replaceLink(_ pair: PortOrder.Pair) async {
        guard isComplete(pair), orderLinks[pair]?.isLost == true else { return }
        dropLink(pair)
        if orderLinks.recordRemake(pair) {
            do throws(PipeWireError) {
                try await makeLink(pair)
                return
            } catch {
                guard isComplete(pair) else { return }
            }
        }
        dropLink(pair)
        notices.post(
            Notice(
                kind: .orderLost, port: ports[pair.after]?.name,
                message:
                    "Another program removed the link that makes \(Names.shown(pair.after)) run after "
                    + "\(Names.shown(pair.before)); it may run before it now, a cycle late."))
    }
}
