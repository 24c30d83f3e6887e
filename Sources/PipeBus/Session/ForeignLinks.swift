// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The links between two ports of which one is the app's: those that are there, and those that were until a moment ago.
struct ForeignLinks {
    typealias Channels = ForeignConnection.Channels

    /// A younger connection may be a step on the way to another one. It is not declared.
    static let minimumAge: Duration = .seconds(1)
    /// The links of a node that is removed disappear before the node, and this long at most.
    static let memory: Duration = .seconds(1)

    /// The app that made a connection.
    enum Maker { case thisApp, otherEnd, thirdApp }

    let since: ContinuousClock.Instant
    /// Whether the connection is older than its links: an interruption ended it, and it was made again.
    var hadLasted = false
    var maker: Maker
    /// The client that made the first link, by its global id and its serial.
    var client: (id: UInt32, serial: UInt64)?
    /// The client of the other port's app, by its serial.
    var peer: UInt64?
    var present: [UInt32: Channels] = [:]
    /// When those appeared that were added later.
    var added: [Channels: ContinuousClock.Instant] = [:]
    /// Those that were removed a moment ago, and when.
    var removed: [Channels: ContinuousClock.Instant] = [:]
    /// Those that we removed because the source hung. They count as long as it does.
    var stalled: Set<Channels> = []
    /// Whether we have removed the links because the source hung. The program that made them may take that for a
    /// removal by a person, and forget the connection.
    var hasStalled = false
    /// The links that a connection by the app has, and the width of a lane, as of the same time.
    var plan: (pairs: [ChannelMatching.Pair], width: Int)?
    /// The ports' names as of the last links that appeared: when a port is found to be lost, it may have left the graph already.
    var declaration: ConnectionDeclaration?

    /// The lane of the app's own connection, and the links that were added to it: those that it has not itself. It is the lane
    /// with most of its links.
    func additions(to all: Set<Channels>) -> (lane: Int, channels: Set<Channels>)? {
        guard let plan else { return nil }
        let lanes = Set(all.map { $0.input / plan.width }).sorted().map { lane in
            (
                lane,
                all.intersection(plan.pairs.map { .init(output: $0.output, input: lane * plan.width + $0.input) })
            )
        }
        guard let own = lanes.max(by: { ($0.1.count, -$0.0) < ($1.1.count, -$1.0) }) else { return nil }
        return (own.0, all.subtracting(own.1))
    }

    func hasLasted(at now: ContinuousClock.Instant) -> Bool {
        hadLasted || since.duration(to: now) >= Self.minimumAge
    }

    func channels(at now: ContinuousClock.Instant) -> Set<Channels> {
        Set(present.values).union(removed.filter { $0.value.duration(to: now) < Self.memory }.keys)
            .subtracting(added.filter { $0.value.duration(to: now) < Self.minimumAge }.keys)
    }
}
