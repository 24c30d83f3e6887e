// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The client's ports that are in the graph now, in the order in which they were added.
struct PortTable: Sequence {
    private var ports: [LivePort] = []
    private var byID: [GraphPort.ID: LivePort] = [:]
    private var byName: [String: LivePort] = [:]
    /// By the global ids of their channels.
    private var byInput: [UInt32: LivePort] = [:]
    private var byOutput: [UInt32: LivePort] = [:]

    var isEmpty: Bool { ports.isEmpty }
    var first: LivePort? { ports.first }

    func makeIterator() -> some IteratorProtocol<LivePort> { ports.makeIterator() }

    subscript(id: GraphPort.ID) -> LivePort? { byID[id] }
    subscript(name: String) -> LivePort? { byName[name] }
    /// Not a port that took the name of one that was closed.
    subscript(handle: PortHandle) -> LivePort? {
        byName[handle.name].flatMap { $0.declared.handle === handle ? $0 : nil }
    }
    subscript(input channel: UInt32) -> LivePort? { byInput[channel] }
    subscript(output channel: UInt32) -> LivePort? { byOutput[channel] }

    func contains(_ port: LivePort) -> Bool { byID[port.id] === port }

    /// - Precondition: no port has its name.
    mutating func insert(_ port: LivePort) {
        precondition(byName[port.declaration.name] == nil, "two ports of one name")
        ports.append(port)
        byID[port.id] = port
        byName[port.declaration.name] = port
        for channel in port.inputChannels { byInput[channel] = port }
        for channel in port.outputChannels { byOutput[channel] = port }
    }

    /// - Returns: whether it was there.
    mutating func remove(_ port: LivePort) -> Bool {
        guard contains(port) else { return false }
        ports.removeAll { $0 === port }
        byID[port.id] = nil
        byName[port.declaration.name] = nil
        for channel in port.inputChannels { byInput[channel] = nil }
        for channel in port.outputChannels { byOutput[channel] = nil }
        return true
    }
}
