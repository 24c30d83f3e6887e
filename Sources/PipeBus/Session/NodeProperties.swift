// SPDX-License-Identifier: MIT
import Glibc
import PipeWireClient

/// The properties of a port's node and of its channels. Pure.
struct NodeProperties {
    /// The default name of libpipewire's data loop, which processes the nodes. Versions before 1.2 have one data loop,
    /// and ignore the property.
    private static let dataLoop = "data-loop.0"

    let app: AppIdentity
    let declaration: PortDeclaration
    let nodeName: String
    let title: String
    /// The port's number among the app's ports.
    let place: Int
    /// Whether one thread must process all of the app's nodes, because a block runs before each cycle.
    let requiresOneThread: Bool

    /// One group for the app's nodes: they have one driver and clock, and no session manager links them to each other.
    static func group(of app: AppIdentity) -> String { "pipebus.\(app.id).\(getpid())" }

    var ofNode: [(String, String)] {
        let (category, role) =
            switch declaration.kind {
            case .sender: ("Playback", "Production")
            case .filter: (declaration.isTap ? PipeBusProperty.tapCategory : "Filter", "DSP")
            case .receiver: (declaration.isMeter ? "Monitor" : "Capture", "Production")
            }
        let group = Self.group(of: app)
        var properties = [
            ("node.name", nodeName), ("node.description", title), ("node.nick", app.name), ("media.name", title),
            ("media.type", "Audio"), ("media.category", category), ("media.role", role),
            ("node.group", group), ("node.link-group", group), ("node.autoconnect", "false"),
            (PipeBusProperty.kind, declaration.kind.rawValue), (PipeBusProperty.name, declaration.name),
            (PipeBusProperty.order, "\(place)"), (PipeBusProperty.protocolVersion, "1"),
        ]
        // The node is scheduled without links too, and has a driver even if no device runs otherwise.
        if declaration.keepsRunning { properties.append(("node.always-process", "true")) }
        // See `PortMaker.checkThread`. Otherwise PipeWire may choose the loop.
        if requiresOneThread { properties.append(("node.loop.name", Self.dataLoop)) }
        if let iconName = declaration.iconName ?? app.iconName { properties.append(("media.icon-name", iconName)) }
        if app.allowsConnectionsToSelf { properties.append((PipeBusProperty.allowsSelf, "true")) }
        if app.isOneAppAcrossProcesses { properties.append((PipeBusProperty.selfScope, "application")) }
        return properties + ofKind
    }

    /// The properties of the node that have changed since it was made. One that is not there any more has the value that means so.
    func changes(since made: NodeProperties) -> [(String, String)] {
        let (old, new) = (made.ofNode, ofNode)
        let changed = new.filter { property in !old.contains { $0 == property } }
        let gone = old.map(\.0).filter { key in !new.contains { $0.0 == key } }
        let flags = Set(PortFlag.all.map(\.property))
        return changed + gone.map { ($0, flags.contains($0) ? "false" : "") }
    }

    private var ofKind: [(String, String)] {
        var properties: [(String, String)] = []
        if declaration.kind == .receiver {
            properties.append((PipeBusProperty.laneWidth, "\(declaration.laneWidth)"))
        } else {
            properties.append((PipeBusProperty.latency, "\(declaration.latency.ownFrames)"))
        }
        if let receiver = declaration.latency.receiver { properties.append((PipeBusProperty.follows, receiver)) }
        if let filter = declaration.auxiliaryOf { properties.append((PipeBusProperty.auxiliaryOf, filter)) }
        // Volume controls do not show such a node among the recordings.
        if declaration.isMeter { properties += [(PipeBusProperty.isMeter, "true"), ("stream.monitor", "true")] }
        if declaration.kind == .filter, !declaration.isTap {
            properties.append((PipeBusProperty.heldExchange, ""))
        }
        if declaration.isSeparate { properties.append((PipeBusProperty.isSeparate, "true")) }
        for flag in PortFlag.all where declaration[keyPath: flag.declaration] {
            properties.append((flag.property, "true"))
        }
        return properties
    }

    var ofChannels: [FilterNode.PortSpec] {
        declaration.inputPositions.map { spec($0, isInput: true) }
            + declaration.outputPositions.map { spec($0, isInput: false) }
    }

    private func spec(_ portName: String, isInput: Bool) -> FilterNode.PortSpec {
        // "input_1_FL": the part after the last underscore is the channel, the part before it the lane.
        let parts = portName.split(separator: "_")
        return FilterNode.PortSpec(
            isInput: isInput,
            properties: [
                ("format.dsp", "32 bit float mono audio"), ("port.name", portName),
                ("audio.channel", String(parts.last ?? "")), ("port.group", parts.dropLast().joined(separator: "_")),
                // 0.3.65 ignores this, and reads the link's own property.
            ] + (declaration.isMeter ? [("port.passive", "true")] : []))
    }
}
