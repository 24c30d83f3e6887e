// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// The tap of one of our filters: a node of this app with the links that the filter's input has. Confined to the loop.
///
/// Its outputs are silent. Their links to the filter make PipeWire run the tap before the filter, in the same cycle.
final class InputTap {
    private let node: FilterNode
    private let serial: UInt64
    private let inputs: [UInt32]
    private let outputs: [UInt32]
    private let filter: LivePort
    private let connection: SessionConnection
    private let model: GraphModel
    private let links: LinkTable
    private let leaving: LeavingNodes
    private let latencies: PathLatencies
    /// The links to the tap, by the filter's own.
    private var mirrors: [LinkTable.Key: Link] = [:]
    private var linksToFilter: [Link] = []
    private(set) var isClosed = false

    /// - Parameters:
    ///   - node: which is closed with the tap.
    ///   - inputs: the tap's channels, by their global ids. There are as many as the filter has inputs, and as many outputs.
    init(
        _ node: FilterNode, serial: UInt64, inputs: [UInt32], outputs: [UInt32], _ declaration: PortDeclaration,
        of filter: LivePort,
        on connection: SessionConnection, _ model: GraphModel, _ links: LinkTable, _ leaving: LeavingNodes
    ) {
        self.node = node
        self.serial = serial
        self.inputs = inputs
        self.outputs = outputs
        self.filter = filter
        self.connection = connection
        self.model = model
        self.links = links
        self.leaving = leaving
        latencies = PathLatencies(of: node, declaration)
        _ = latencies.change { $0.cycle = node.cycleSize ?? filter.node.cycleSize }
        node.onLatency = { [unowned self] report in reported(report) }
    }

    /// Whether sound may have come to an end in it: a link or the node is lost.
    var isLost: Bool {
        isClosed || linksToFilter.contains(where: \.isLost)
            || node.nodeID.flatMap(model.reducer.serial(ofNode:)) != serial
    }

    // MARK: Links

    /// Makes all links. The filter's input goes on unchanged.
    ///
    /// - Throws: ``PipeBusError``, if a link cannot be made by then.
    func connect(by deadline: ContinuousClock.Instant) async throws {
        // Two at most: what has come meanwhile is taken in too.
        for _ in 0..<2 {
            for key in originals where mirrors[key] == nil {
                guard let channel = filter.channels.inputs.firstIndex(of: key.input) else { continue }
                mirrors[key] = try await link(key.output, to: inputs[channel], by: deadline)
            }
        }
        // The latencies come over the new links, and are passed on before the filter gets them.
        try await connection.settle(by: deadline)
        latencies.publish()
        try await connection.settle(by: deadline)
        for (output, input) in zip(outputs, filter.channels.inputs) {
            linksToFilter.append(try await link(output, to: input, by: deadline))
        }
        follow()
    }

    /// Removes the links to the tap of which the filter's own has been removed: by somebody, or because the source hangs.
    ///
    /// - Parameter except: sources whose links the exchange itself removes.
    func follow(except sources: [GraphPort.ID] = []) {
        let present = Set(originals)
        for (key, link) in mirrors where !present.contains(key) {
            if let serial = model.serial(ofChannel: key.output), sources.contains(GraphPort.ID(serial: serial)) {
                continue
            }
            mirrors[key] = nil
            links.release(link)
        }
    }

    /// The filter's links, but for the tap's own.
    private var originals: [LinkTable.Key] {
        let own = Set(outputs)
        let channels = Set(filter.channels.inputs)
        return model.reducer.links(atNode: filter.nodeID).compactMap { id in
            guard let ends = model.reducer.ends(ofLink: id), channels.contains(ends.input), !own.contains(ends.output)
            else { return nil }
            return LinkTable.Key(output: ends.output, input: ends.input)
        }
    }

    private func link(_ output: UInt32, to input: UInt32, by deadline: ContinuousClock.Instant) async throws -> Link {
        let link: Link
        do throws(PipeWireError) {
            link = try links.make(LinkTable.Key(output: output, input: input), onLoss: {})
        } catch {
            throw PipeBusError(error)
        }
        // The next link is made only when this one is active: newer PipeWire versions mix up buffers otherwise.
        try await connection.firstResult(by: deadline, waitingFor: "a link to become active") { () -> Void? in
            if isClosed { throw PipeBusError(PipeWireError.closed) }
            if let failure = link.failure { throw PipeBusError(failure) }
            return link.isActive ? () : nil
        }
        return link
    }

    // MARK: Latencies

    /// Passes a latency on as it is: the tap is in the way of no sound.
    private func reported(_ report: FilterNode.LatencyReport) {
        guard report.isInput == report.isOutputLatency else { return }
        let hasChanged = latencies.change { ledger in
            if report.isInput {
                ledger.report(upstream: report.latency, onInput: report.channel)
            } else {
                ledger.report(downstream: report.latency, onOutput: report.channel)
            }
        }
        guard hasChanged else { return }
        switch latencies.schedule(at: .now) {
        case .now: latencies.publish()
        case .later:
            connection.after(.milliseconds(50)) { [weak self] in
                if let self, !isClosed { latencies.publish() }
            }
        case .alreadyScheduled: break
        }
    }

    // MARK: The end

    /// Removes the node and its links. When the call returns, the audio thread does not run the tap any more.
    func remove() async {
        close()
        await leaving.finish()
    }

    /// Lets the node leave, and its links before it. Idempotent.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        links.releaseAll(atChannels: Set(inputs + outputs))
        mirrors = [:]
        linksToFilter = []
        leaving.add(node, serial: serial)
    }
}
