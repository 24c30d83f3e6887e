// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// A port that this app offers: a ``SenderPort``, a ``FilterPort`` or a ``ReceiverPort``.
///
/// It stays in the graph until it or its client is closed, whether or not anybody holds the object.
///
/// - Thread: any.
/// - Realtime: unsafe: a port is an object, and calling one may retain it. Process blocks are given all they need.
public class LocalPort: PortDesignator, @unchecked Sendable {
    // @unchecked: everything is immutable and Sendable, which is not checked for a class that has subclasses. All of those
    // are in this module.

    /// The client that the port belongs to.
    public let client: BusClient
    /// What the port does with sound.
    public let kind: PortKind
    let handle: PortHandle

    init(_ handle: PortHandle, kind: PortKind, of client: BusClient) {
        self.handle = handle
        self.kind = kind
        self.client = client
    }

    /// The name given by the app, unique within it. The port is known by it in every graph.
    public final var name: String { handle.name }
    /// PipeWire's `node.name`, now or when the port was last in a graph: the same at every start, with "-2" behind it in a
    /// second process of the app.
    public final var nodeName: String { handle.nodeName }
    /// The port in the present graph; `nil` while it is in none. Another graph, such as that of a daemon that was started
    /// again, has another one for it.
    public final var graphID: GraphPort.ID? { handle.id }

    /// Exactly this port.
    public final var portDesignation: PortDesignation { handle.id.map { .id($0) } ?? .name(handle.nodeName) }
}

extension LocalPort {
    /// What people see of the port.
    ///
    /// - Throws: ``PipeBusError`` `closed`.
    public var title: String {
        get async throws { try await client.title(of: handle) }
    }

    /// Changes what people see, in every patchbay at once.
    ///
    /// - Parameter title: 1…128 bytes, on one line.
    /// - Throws: ``PipeBusError`` `invalidArgument` or `closed`.
    public func setTitle(_ title: String) async throws { try await client.setTitle(title, of: handle) }

    /// How the port fared since it was made.
    ///
    /// - Throws: ``PipeBusError`` `closed`.
    public var statistics: PortStatistics {
        get async throws { try await client.statistics(of: handle) }
    }

    /// How the port's connections stand.
    ///
    /// - Throws: ``PipeBusError`` `closed` or `connectionLost`.
    public var state: PortState {
        get async throws { try await client.state(of: handle) }
    }

    /// How the port's connections stand now, and then after every change. Changes that come together make one state. The
    /// last one, before it ends, is that nothing is connected.
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

    /// Takes the port out of the graph, with all its connections. When it returns the process block has been called for
    /// the last time. Idempotent.
    public func close() async { await client.closePort(handle) }
}

/// How a port fared since it was made.
///
/// - Thread: any. A value.
public struct PortStatistics: Sendable, Hashable {
    /// Cycles in which the port ran: those in which its process block was called, and those of a filter that is bypassed,
    /// whose block is not.
    public let cycles: UInt64
    /// Frames in those cycles.
    public let frames: UInt64
    /// Frames that the graph went on without the port while it was connected.
    public let missedFrames: UInt64
    /// How many times that happened.
    public let gaps: UInt64
    /// How often a receiver delayed sources more, or less, than before while their sound went on: for a slower source that
    /// came, or because ``ReceiverPort/realign()`` asked for it. Each time sound was heard twice or left out, with a
    /// crossfade. What it does in silence does not count.
    public let realignments: UInt64
    /// How many blocks of a receiver's sources were silenced because they held NaN, infinity or a sample of 9e17 and more,
    /// one for each source and cycle. ``LevelMeter/hasInvalidSamples`` says which source it is.
    public let invalidBlocks: UInt64
}
