// SPDX-License-Identifier: MIT
import PipeBus

/// A change of connections, as it is in a file.
struct RecordedChange: Codable, Equatable {
    struct Port: Codable, Equatable {
        var app: String?
        var node: String
    }

    struct Item: Codable, Equatable {
        var source: Port
        var destination: Port
        /// Pairs of an output and an input; absent where the channels match.
        var channels: [[String]]?
    }

    private var connected: [Item]
    private var disconnected: [Item]

    init(_ change: ConnectionChange) {
        connected = change.connected.map(Item.init)
        disconnected = change.disconnected.map(Item.init)
    }

    var change: ConnectionChange {
        ConnectionChange(connected: connected.map(\.item), disconnected: disconnected.map(\.item))
    }
}

extension RecordedChange.Item {
    fileprivate init(_ item: ConnectionChange.Item) {
        source = .init(app: item.source.applicationID, node: item.source.nodeName)
        destination = .init(app: item.destination.applicationID, node: item.destination.nodeName)
        channels = item.channels.pairs?.map { [$0.output, $0.input] }
    }

    fileprivate var item: ConnectionChange.Item {
        let pairs = channels?.filter { $0.count == 2 }.map { ChannelPairing.Pair($0[0], $0[1]) }
        return ConnectionChange.Item(
            source: PortName(applicationID: source.app, nodeName: source.node),
            destination: PortName(applicationID: destination.app, nodeName: destination.node),
            channels: pairs.map { .pairs($0) } ?? .matching)
    }
}
