// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// A port of this app: a ``SenderPort``, a ``FilterPort`` or a ``ReceiverPort``.
///
/// The port stays in the graph until it or its client is closed, whether or not the app keeps the object.
///
/// - Thread: any.
/// - Realtime: unsafe: a port is an object, and calling one may retain it. A process block gets all values that it
///   needs as arguments.
public class LocalPort: PortDesignator, @unchecked Sendable {
    // @unchecked: all properties are immutable and Sendable, which is not checked for a class with subclasses. All
    // subclasses are in this module.

    /// The client that the port belongs to.
    public let client: BusClient
    /// The direction of the port's sound.
    public let kind: PortKind
    let handle: PortHandle

    init(_ handle: PortHandle, kind: PortKind, of client: BusClient) {
        self.handle = handle
        self.kind = kind
        self.client = client
    }

    /// The name given by the app, unique within it. It identifies the port in every graph.
    public final var name: String { handle.name }
    /// PipeWire's `node.name`, now or when the port was last in a graph.
    ///
    /// It is the same at every start of the app. A second process of the app has "-2" after it. Before the port is in a graph for the
    /// first time it is the name that the port asks for.
    public final var nodeName: String { handle.nodeName }
    /// The port's identity in the present graph; `nil` while it is in none. Another graph, such as that of a restarted
    /// daemon, has another identity for it.
    public final var graphID: GraphPort.ID? { handle.id }

    /// Designates exactly this port. While it is in no graph and not closed, its node's name stands for it.
    public final var portDesignation: PortDesignation { handle.designation }
}

extension LocalPort {
    /// The name shown to people.
    ///
    /// - Throws: ``PipeBusError`` `closed` or `connectionLost`.
    public var title: String {
        get async throws { try await client.title(of: handle) }
    }

    /// Changes the name shown to people, at once in every patchbay.
    ///
    /// - Parameter title: 1…128 bytes, on one line.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `closed` or `connectionLost`.
    public func setTitle(_ title: String) async throws { try await client.setTitle(title, of: handle) }

    /// Changes the icon of the port, at once in every patchbay. It is kept over a restart of the daemon.
    ///
    /// - Parameter iconName: a name in the icon theme, 1…128 bytes on one line; `nil` for that of the app.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `closed` or `connectionLost`.
    public func setIconName(_ iconName: String?) async throws { try await client.setIconName(iconName, of: handle) }

    /// Counts of the port's cycles and errors since it was made.
    ///
    /// - Throws: ``PipeBusError`` `closed` or `connectionLost`.
    public var statistics: PortStatistics {
        get async throws { try await client.statistics(of: handle) }
    }

    /// The state of the port's connections.
    ///
    /// - Throws: ``PipeBusError`` `closed` or `connectionLost`.
    public var state: PortState {
        get async throws { try await client.state(of: handle) }
    }

    /// The state of the port's connections, first the present one and then each after a change. Changes are coalesced.
    /// The last element is a state without connections.
    public var stateUpdates: Updates<PortState> {
        Updates { [client, handle] in
            var states: AsyncStream<PortState>.Iterator?
            var last: PortState?
            return {
                if states == nil { states = await client.stateSnapshots(of: handle).makeAsyncIterator() }
                while let state = await states?.next(isolation: #isolation) {
                    defer { last = state }
                    if state != last { return state }
                }
                return nil
            }
        }
    }

    /// Closes the port: removes it from the graph, with all its connections.
    ///
    /// When the call returns, the process block has been called for the last time. Idempotent.
    public func close() async { await client.closePort(handle) }
}

/// Counts of a port's cycles and errors since it was made. They go on over restarts of the daemon, and over interruptions.
///
/// - Thread: any. A value.
/// - Realtime: safe.
public struct PortStatistics: Sendable, Hashable {
    /// Number of cycles in which the port ran. A bypassed filter's cycles count, although its block is not called.
    public let cycles: UInt64
    /// Number of frames in those cycles.
    public let frames: UInt64
    /// Number of frames that the port missed while it was connected (xruns): the graph went on without it. A time in
    /// which PipeWire paused the port, because all of its peers were paused, does not count.
    public let missedFrames: UInt64
    /// Number of xruns: gaps of missed frames.
    public let gaps: UInt64
    /// Number of changes of a receiver's delays while sound was in them.
    ///
    /// Its causes are a slower source and ``ReceiverPort/realign()``. Each time sound is repeated or left out, with a
    /// crossfade. A change in silence does not count.
    public let realignments: UInt64
    /// Number of blocks of a receiver's sources that were silenced because they held NaN, infinity, or some samples of 9e17
    /// and more. One for each source and cycle. ``LevelMeter/hasInvalidSamples`` shows which source it is.
    public let invalidBlocks: UInt64
}
