// SPDX-License-Identifier: MIT

/// A connection that another program made to a port of the app, by the names of its ends, which survive a restart of the
/// daemon.
struct ForeignConnection: Hashable, Sendable {
    /// One link, by the indexes of its channels in the two ports.
    struct Channels: Hashable, Sendable {
        var output: Int
        var input: Int
    }

    var ends: ConnectionDeclaration
    var channels: Set<Channels>
    /// Whether the program that made it was still there at the end. It may make the connection again itself.
    var hasMaker: Bool
}
