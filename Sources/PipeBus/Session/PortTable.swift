// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// The client's ports that are in the graph now, in the order in which they were added. Confined to the loop.
final class PortTable: Sequence {
    private var ports: [LivePort] = []
    private var byID: [GraphPort.ID: LivePort] = [:]
    private var byName: [String: LivePort] = [:]
    /// The ports by the global ids of their channels.
    private var byInput: [UInt32: LivePort] = [:]
    private var byOutput: [UInt32: LivePort] = [:]

    var isEmpty: Bool { ports.isEmpty }
    var first: LivePort? { ports.first }

    func makeIterator() -> some IteratorProtocol<LivePort> { ports.makeIterator() }

    subscript(id: GraphPort.ID) -> LivePort? { byID[id] }
    subscript(name: String) -> LivePort? { byName[name] }
    /// The port of a handle. A later port of the same name has another handle.
    subscript(handle: PortHandle) -> LivePort? {
        byName[handle.name].flatMap { $0.declared.handle === handle ? $0 : nil }
    }
    subscript(input channel: UInt32) -> LivePort? { byInput[channel] }
    subscript(output channel: UInt32) -> LivePort? { byOutput[channel] }

    /// The present size of cycles, which is one for all of our ports: they have one driver. `nil` before the first
    /// cycle.
    var cycleSize: CycleSize? { ports.lazy.compactMap(\.node.cycleSize).first }

    func contains(_ port: LivePort) -> Bool { byID[port.id] === port }

    /// Whether one of two ports is ours and has lost a channel: the links of that channel went with it.
    func isChannelLost(_ ends: ConnectionEnds) -> Bool { ends.ports.contains { byID[$0]?.hasLostChannel == true } }

    /// - Precondition: no port of the name is in the table.
    func insert(_ port: LivePort) {
        precondition(byName[port.name] == nil, "two ports of one name")
        ports.append(port)
        byID[port.id] = port
        byName[port.name] = port
        for channel in port.channels.inputs { byInput[channel] = port }
        for channel in port.channels.outputs { byOutput[channel] = port }
    }

    /// - Returns: whether the port was in the table.
    func remove(_ port: LivePort) -> Bool {
        guard contains(port) else { return false }
        ports.removeAll { $0 === port }
        byID[port.id] = nil
        byName[port.name] = nil
        for channel in port.channels.inputs { byInput[channel] = nil }
        for channel in port.channels.outputs { byOutput[channel] = nil }
        return true
    }

    func removeAll() {
        ports = []
        byID = [:]
        byName = [:]
        byInput = [:]
        byOutput = [:]
    }
}
