// SPDX-License-Identifier: MIT

/// A connection that another program made to a port of the app, by the names of its ends, which survive a restart of the
/// daemon.
struct ForeignConnection: Hashable, Sendable {
    /// One link, by the indexes of its channels in the two ports.
    struct Channels: Hashable, Sendable {
        var output: Int
        var input: Int
    }

    /// What tells it from the others.
    struct Key: Hashable, Sendable {
        var ends: ConnectionDeclaration
        /// The number of this one among those with these ends, from 0: two ports of other apps may have one name.
        var number: Int
        /// Whether the links were added to a connection that the app itself has made.
        var isAddition: Bool
    }

    var key: Key
    var channels: Set<Channels>
    /// The lane that the app's own connection had, if the links were added to one.
    var ownLane: Int?
    /// Whether the program that made it was still there at the end. It may make the connection again itself.
    var hasMaker: Bool

    var ends: ConnectionDeclaration { key.ends }

    /// The lanes that the links lead to.
    ///
    /// - Parameter width: the destination's channels in a lane.
    func lanes(ofWidth width: Int) -> Set<Int> { Set(channels.map { $0.input / max(width, 1) }) }
}
