// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// Another app's request that this app end, as from a patchbay whose user has closed it; see ``BusClient/answerQuitRequests(_:)``.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct QuitRequest: Sendable, Hashable {
    /// The app that asks, as it says itself; `nil` for a program that says nothing, and for one without a port, such as `pipebus`: only apps with
    /// ports are in the graph.
    public let peer: Peer?

    /// An app's answer to a request that it end.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public enum Answer: Sendable, Hashable {
        /// The app ends. ``BusClient/runUntilSignal(since:beforeClosing:)`` and ``BusClient/waitForSignal(since:)`` return.
        case quit
        /// The app goes on, for this reason: a part of a sentence for the user, such as "the song is not saved".
        case refuse(because: String)
    }

    init(peer: Peer?) { self.peer = peer }
}
