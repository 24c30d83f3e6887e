// SPDX-License-Identifier: MIT
import AudioKernels
import ConnectionGraph

/// The sources of our own receivers, in the form for apps. Confined to the loop.
final class SourceList {
    private let model: GraphModel
    private let ports: PortTable

    init(_ model: GraphModel, _ ports: PortTable) {
        self.model = model
        self.ports = ports
    }

    /// Sends the present sources of each receiver to its readers.
    func broadcast() {
        for port in ports { port.streams.sendSources { try? sources(of: port) } }
    }

    func sources(of receiver: LivePort) throws -> [Source] {
        let control = try receiver.requireReceiver()
        return control.lanes.indices.compactMap { source(onLane: $0, of: receiver, control) }
    }

    private func source(onLane index: Int, of receiver: LivePort, _ control: ReceiverControl) -> Source? {
        let snapshot = model.snapshot
        let lane = control.lanes[index]
        guard let linkSummary = lane.linkSummary, let port = snapshot.port(GraphPort.ID(serial: lane.source)) else {
            return nil
        }
        let peer = snapshot.peer(of: port)
        // On a shared lane, a property of one source is a property of the sum.
        let ids = linkSummary.sources.map { GraphPort.ID(serial: $0) }
        let sampleRate = control.memory.sampleRate
        let latency = { (frames: Int) in Latency(frames: frames, sampleRate: sampleRate) }
        return Source(
            identity: lane.identity ?? Source.Identity(applicationID: peer?.applicationID, nodeName: port.nodeName),
            peer: peer, port: port,
            others: ids.filter { $0 != port.id }.compactMap { snapshot.port($0) },
            lane: index, sourceGeneration: lane.sourceGeneration, channelCount: lane.channelCount,
            latencyRange: latency(lane.latency.lowerBound)...latency(lane.latency.upperBound),
            delay: latency(control.delay(ofLane: index)), isAligned: control.plan.lanes[index].isAligned,
            level: lane.level, context: lane.context, tag: lane.tag,
            isFromLiveSource: ids.contains { snapshot.isFromLiveSource($0) },
            isFromSelf: ids.map { snapshot.isReturn($0, to: receiver.id) }.max() ?? .no, isStalled: lane.isStalled)
    }
}
