// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Keeps the order that ports asked for with `after:`. PipeWire runs nodes without a link between them in any order, so a
/// link is made for it, of ports that carry nothing. See decision 6.
extension DaemonSession {
    /// The silent ports that a node gets from the start: as long as it does not run, adding them disturbs nobody.
    func orderPorts(of declaration: PortDeclaration) -> [FilterNode.PortSpec] {
        let hasPredecessors = declared.order.hasPredecessors(declaration.name)
        // Where one port is after another, a third is likely to be after that.
        let isNamed = declared.order.isNamed(declaration.name) || hasPredecessors
        return (hasPredecessors ? [orderPort(isInput: true)] : []) + (isNamed ? [orderPort(isInput: false)] : [])
    }

    private func orderPort(isInput: Bool) -> FilterNode.PortSpec {
        FilterNode.PortSpec(
            isInput: isInput,
            properties: [
                ("format.dsp", OrderPort.format), ("port.name", isInput ? OrderPort.input : OrderPort.output),
                ("port.group", "order"),
                // So that the link makes nobody run. Ignored by 0.3.65, where the link says it.
                ("port.passive", "true"),
            ])
    }

    /// Makes the links that a new port's order needs. When it returns the order holds.
    func keepOrder(of node: LivePort) async throws {
        let present = Set(ports.map(\.declaration.name))
        for pair in declared.order.pairs(of: node.declaration.name, among: present) {
            do throws(PipeWireError) {
                try await makeOrderLink(pair)
            } catch {
                // The other one of the two may have gone meanwhile, and nothing is to be kept any more.
                guard !isComplete(pair) else { throw PipeBusError(error) }
            }
        }
    }

    /// A port goes, and its order with it.
    func forgetOrder(of name: String) {
        for link in orderLinks.removeAll(of: name) { links.release(link) }
    }

    // MARK: Links

    private func isComplete(_ pair: PortOrder.Pair) -> Bool {
        isOpen && ports[pair.before] != nil && ports[pair.after] != nil
    }

    private func makeOrderLink(_ pair: PortOrder.Pair) async throws(PipeWireError) {
        guard let before = ports[pair.before] else { return }
        try await addOrderOutput(to: before)
        guard isOpen, isComplete(pair), orderLinks[pair] == nil else { return }
        try startOrderLink(pair)
        // The daemon's answer says which of the two it runs first.
        try await connection.sync()
        guard let link = orderLinks[pair], link.isFeedback == true else { return try check(pair) }
        try relinkBehindOrder(pair)
        try await connection.sync()
        try check(pair)
    }

    /// A port that was there before anybody wanted to be after it.
    private func addOrderOutput(to node: LivePort) async throws(PipeWireError) {
        guard isOpen, model.reducer.orderPort(ofNode: node.nodeID, isInput: false) == nil else { return }
        try node.node.addOrderPort(orderPort(isInput: false))
        // The node's port comes with the first round trip, its global with the second.
        for _ in 0..<2 { try await connection.sync() }
    }

    private func startOrderLink(_ pair: PortOrder.Pair) throws(PipeWireError) {
        guard isOpen, let before = ports[pair.before], let after = ports[pair.after],
            let output = model.reducer.orderPort(ofNode: before.nodeID, isInput: false),
            let input = model.reducer.orderPort(ofNode: after.nodeID, isInput: true)
        else { throw .badPort(reason: "the daemon does not show what keeps the order") }
        let link = try links.make(LinkTable.Key(output: output, input: input), isPassive: true) { [unowned self] in
            if isOpen { context.repairOrder(pair) }
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

    /// There is a way for audio from the later port to the earlier one already, by which PipeWire took the order's link for
    /// the one that closes a circle. The audio that arrives last on that way is linked again, after the order is: that link
    /// closes the circle then, and is a cycle late.
    private func relinkBehindOrder(_ pair: PortOrder.Pair) throws(PipeWireError) {
        guard isOpen, let after = ports[pair.after] else { return }
        let names = declared.order.allBefore(pair.after, among: Set(ports.map(\.declaration.name)))
        let earlier = Set(ports.filter { names.contains($0.declaration.name) }.map(\.nodeID))
        let ids = model.reducer.links(closingLoopsFrom: after.nodeID, into: earlier)
        let keys = ids.compactMap { id in
            model.reducer.ends(ofLink: id).map { LinkTable.Key(output: $0.output, input: $0.input) }
        }
        dropOrderLink(pair)
        // Everything in one go: nobody comes in between.
        for (id, key) in zip(ids, keys) {
            if let own = links[key] { links.release(own) } else { try links.destroy(id: id) }
        }
        try startOrderLink(pair)
        for key in keys { try links.make(key) }
    }

    private func dropOrderLink(_ pair: PortOrder.Pair) {
        if let link = orderLinks.remove(pair) { links.release(link) }
    }

    /// Somebody removed an order's link, or a port of the two. The link is made again once; whoever removes it twice means
    /// it.
    func repairOrder(_ pair: PortOrder.Pair) async {
        guard orderLinks[pair]?.isLost == true else { return }
        // A port that goes takes its links with it, and is reported after them.
        try? await connection.sync()
        await creation.withLock { await replaceOrderLink(pair) }
    }

    private func replaceOrderLink(_ pair: PortOrder.Pair) async {
        guard isComplete(pair), orderLinks[pair]?.isLost == true else { return }
        dropOrderLink(pair)
        if orderLinks.mayRemake(pair) {
            do throws(PipeWireError) {
                try await makeOrderLink(pair)
                return
            } catch {
                guard isComplete(pair) else { return }
            }
        }
        dropOrderLink(pair)
        post(
            Notice(
                kind: .orderLost, port: ports[pair.after]?.declaration.name,
                message:
                    "Somebody removed the link that makes \(Names.shown(pair.after)) run after "
                    + "\(Names.shown(pair.before)); it may run before it now, a cycle late."))
    }
}
