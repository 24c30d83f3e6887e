// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// A port that this app offers: a ``SenderPort``, a ``FilterPort`` or a ``ReceiverPort``.
///
/// Only this library's ports conform: requirements may be added.
///
/// It stays in the graph until it or its client is closed, whether or not anybody holds the object.
///
/// - Thread: any.
/// - Realtime: unsafe: a port is an object, and calling one may retain it. Process blocks are given all they need.
public protocol LocalPort: AnyObject, Sendable, PortDesignator {
    /// The client that the port belongs to.
    var client: BusClient { get }
    /// What the port does with sound.
    var kind: PortKind { get }
    /// The name given by the app, unique within it.
    var name: String { get }
    /// PipeWire's `node.name`: the same at every start, with "-2" behind it in a second process of the app.
    var nodeName: String { get }
    /// The port in the graph.
    var id: GraphPort.ID { get }
}

extension LocalPort {
    /// What people see of the port.
    ///
    /// - Throws: ``PipeBusError`` `closed`.
    public var title: String {
        get async throws { try await client.title(of: id) }
    }

    /// Changes what people see, in every patchbay at once.
    ///
    /// - Parameter title: 1…128 bytes, on one line.
    /// - Throws: ``PipeBusError`` `invalidArgument` or `closed`.
    public func setTitle(_ title: String) async throws { try await client.setTitle(title, of: id) }

    /// How the port fared since it was made.
    ///
    /// - Throws: ``PipeBusError`` `closed`.
    public var statistics: PortStatistics {
        get async throws { try await client.statistics(of: id) }
    }

    /// How the port's connections stand.
    ///
    /// - Throws: ``PipeBusError`` `closed` or `connectionLost`.
    public var state: PortState {
        get async throws { try await client.state(of: id) }
    }

    /// How the port's connections stand now, and then after every change. Changes that come together make one state. The
    /// last one, before it ends, is that nothing is connected.
    public var stateUpdates: Updates<PortState> {
        Updates { [client, id] in
            var states: AsyncStream<PortState>.Iterator?
            var last: PortState?
            return {
                if states == nil { states = await client.stateSnapshots(of: id).makeAsyncIterator() }
                while let state = await states?.next(isolation: #isolation) {
                    defer { last = state }
                    if state != last { return state }
                }
                return nil
            }
        }
    }

    /// Takes the port out of the graph, with all its connections. When it returns the process block has been called for
    /// the last time. Twice is once.
    public func close() async { await client.closePort(id) }

    /// Exactly this port.
    public var portDesignation: PortDesignation { .id(id) }
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
