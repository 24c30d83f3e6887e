// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Decides which links a connection needs. Confined to the loop.
struct LinkPlanner {
    let graph: GraphSnapshot
    let ports: PortTable

    /// Checks that a connection does not bring an app its own sound, unless the app allows that.
    ///
    /// - Parameter others: connections that are being made now: two harmless ones may close a loop together.
    func checkSelfConnection(
        _ source: GraphPort, _ destination: GraphPort, with others: [(source: GraphPort.ID, destination: GraphPort.ID)]
    ) throws {
        let snapshot = graph.connecting(others)
        guard let ends = snapshot.selfConnection(from: source, to: destination) else { return }
        let app = snapshot.peer(of: ends.source).map { Names.shown($0.name) } ?? "One app"
        let isDirect = ends.source.id == source.id && ends.destination.id == destination.id
        let explanation =
            source.id == destination.id
            ? "\(source.shownTitle) cannot be connected to itself"
            : isDirect
                ? "\(source.shownTitle) and \(destination.shownTitle) are ports of one app"
                : "\(app) would hear itself: this leads from \(ends.source.shownTitle) to \(ends.destination.shownTitle)"
        throw PipeBusError(
            .selfConnection,
            "\(explanation), and the app does not allow connections to itself.")
    }

    /// Plans the links of a connection, and reserves a lane at a receiver of this client.
    ///
    /// - Parameters:
    ///   - pairing: the channels that go together. A receiver's monitor has its own rule at a device.
    ///   - lanesInUse: lanes of another app's receiver that this client links other sources to at present.
    ///   - isCompletion: whether the links that are missing of a connection are to be made, if some of them are there.
    func plan(
        from source: GraphPort, to destination: GraphPort, _ pairing: ChannelPairing, lanesInUse: Set<Int>,
        isCompletion: Bool
    ) throws -> LinkPlan {
        // A device's monitors, which repeat its input, are its sound only if it has no other outputs.
        let nonMonitors = source.outputs.filter { !$0.isMonitor }
        let outputs = nonMonitors.isEmpty ? source.outputs : nonMonitors
        let isMonitor = ports[source.id]?.declaration.isMonitor == true && destination.isOutputDevice
        let devicePairs =
            isMonitor
            ? ChannelMatching.pairs(outputs: outputs.count, devicePositions: destination.inputs.map(\.position)) : nil
        let pairs: [ChannelMatching.Pair]
        do throws(ChannelPairing.Fault) {
            if let devicePairs {
                pairs = devicePairs
            } else {
                pairs = try pairing.resolve(outputs: outputs, inputs: destination.laneInputs)
            }
        } catch {
            throw Self.error(error, from: source, outputs, to: destination)
        }
        let present = graph.connection(from: source.id, to: destination.id)?.links ?? []
        let isPartial = !present.isEmpty && present.count < pairs.count
        if !isPartial || !isCompletion { try checkNotConnected(source, destination, linkCount: pairs.count) }
        if let port = ports[destination.id], port.kind == .receiver {
            guard let lane = port.links.reserveLane(for: source.id.serial) else { throw noFreeLane(destination) }
            if Set(pairs.map(\.output)).count == 1, pairs.count > 1 { port.receiver?.beginMono(lane: lane) }
            return LinkPlan(
                outputs: outputs, pairs: pairs, lane: lane, yields: true, reservedAt: port, reservedLanes: [lane])
        }
        let ownLane = present.first.map { $0.input / max(destination.laneWidth, 1) }
        guard let lane = ownLane ?? freeLane(of: destination, except: lanesInUse) else {
            throw noFreeLane(destination)
        }
        return LinkPlan(
            outputs: outputs, pairs: pairs, lane: lane, yields: true,
            mayBeMoved: destination.isPipeBus && destination.kind == .receiver)
    }

    private static func error(
        _ fault: ChannelPairing.Fault, from source: GraphPort, _ outputs: [GraphPort.Channel], to destination: GraphPort
    ) -> PipeBusError {
        func lack(_ name: String, _ port: GraphPort, _ channels: [GraphPort.Channel]) -> PipeBusError {
            let names = channels.prefix(16).map { Names.shown($0.position ?? $0.name) }.joined(separator: ", ")
            return PipeBusError(
                .invalidArgument,
                "\(port.shownTitle) has no channel \"\(Names.shown(name))\"; it has \(names)"
                    + (channels.count > 16 ? " … and \(channels.count - 16) more." : "."))
        }
        return switch fault {
        case .noOutput(let name): lack(name, source, outputs)
        case .noInput(let name): lack(name, destination, destination.laneInputs)
        case .mismatch:
            PipeBusError(
                .channelMismatch,
                "\(source.shownTitle) gives \(channels(outputs.count)) and \(destination.shownTitle) takes "
                    + "\(channels(destination.laneWidth)); only equal numbers go together, and mono to stereo; mix them down, or name "
                    + "the channels.")
        }
    }

    /// The links of a connection, by the indexes of the source's outputs and of the inputs of one lane; `nil` if the channels do
    /// not go together.
    static func pairs(
        from source: GraphPort, to destination: GraphPort, _ pairing: ChannelPairing
    ) -> [ChannelMatching.Pair]? {
        // A device's monitors, which repeat its input, are its sound only if it has no other outputs.
        let nonMonitors = source.outputs.indices.filter { !source.outputs[$0].isMonitor }
        let outputs = nonMonitors.isEmpty ? Array(source.outputs.indices) : nonMonitors
        let pairs = try? pairing.resolve(outputs: outputs.map { source.outputs[$0] }, inputs: destination.laneInputs)
        return pairs?.map {
            ChannelMatching.Pair(output: outputs[$0.output], input: $0.input)
        }
    }

    private func checkNotConnected(_ source: GraphPort, _ destination: GraphPort, linkCount: Int) throws {
        func error(_ detail: String) -> PipeBusError {
            PipeBusError(
                .alreadyConnected, "\(source.shownTitle) is connected to \(destination.shownTitle) already\(detail)")
        }
        // Another app's port says so itself.
        let isStalled =
            ports[destination.id].map { $0.links.stall(of: source.id.serial) != nil }
            ?? destination.stalledSources.contains(source.id)
        if isStalled {
            throw error("; it does not answer, and is heard again when it does.")
        }
        guard let count = graph.connection(from: source.id, to: destination.id)?.links.count else { return }
        // Another program has removed some of the links, or made only these.
        throw error(
            count < linkCount
                ? ", by \(count) of \(linkCount) links; disconnect the two first to connect all of their channels."
                : ".")
    }

    /// The first lane without a link at another app's receiver. If another program takes the lane at the same time, the
    /// receiver moves one of the two sources.
    func freeLane(of destination: GraphPort, except lanesInUse: Set<Int>, preferring first: Int = 0) -> Int? {
        guard destination.laneCount > 1 || destination.kind == .receiver && destination.isPipeBus else { return 0 }
        let connections = graph.connections.filter { $0.destination == destination.id }
        let linkedLanes = Set(connections.flatMap(\.links).map { $0.input / destination.laneWidth })
        return ([first] + Array(0..<destination.laneCount)).first {
            !linkedLanes.contains($0) && !lanesInUse.contains($0)
        }
    }

    private func noFreeLane(_ destination: GraphPort) -> PipeBusError {
        PipeBusError(
            .noFreeLane,
            (destination.laneCount == 1
                ? "The only lane of \(destination.shownTitle) has a source; disconnect it, "
                : "All \(destination.laneCount) lanes of \(destination.shownTitle) have a source; disconnect one, ")
                + "or make the receiver with more lanes.")
    }

    private static func channels(_ count: Int) -> String { count == 1 ? "1 channel" : "\(count) channels" }
}

extension GraphPort {
    /// The inputs of one source.
    fileprivate var laneInputs: [Channel] { Array(inputs.prefix(laneWidth)) }
}
