// SPDX-License-Identifier: MIT

extension BusClient {
    /// The state of a client's connection to its daemon, and of the graph.
    ///
    /// | from | to | when |
    /// | --- | --- | --- |
    /// | `connecting` | `running` | the daemon has answered |
    /// | `connecting` | `interrupted` | there is no daemon, and the client waits for one |
    /// | `running` | `interrupted` | the daemon has ended |
    /// | `interrupted` | `running` | a daemon is there, and all ports are in its graph again |
    /// | `running` | `interrupted`, `noDriver` | connected ports got no cycle for 2 s, because nothing drives the graph |
    /// | `interrupted`, `noDriver` | `running` | cycles come again, or nothing is connected; up to half a second later |
    /// | any | `closed` | the app has closed the client, or another program has removed it |
    ///
    /// A graph without a driver still answers: with the reason `noDriver` all calls work as in `running`. It is never the
    /// state of a graph that is merely idle, as when no port is connected or the peers are paused.
    ///
    /// - Thread: any. A value.
    public enum State: Sendable, Hashable {
        /// The client connects for the first time.
        case connecting
        /// The client is connected, and its ports are in the graph.
        case running
        /// The client has no connection at present, and connects again by itself. The ports stay valid objects: what the app
        /// sets is used when the ports are in a graph again. With the reason `noDriver` the connection is there.
        case interrupted(StateReason)
        /// The client has ended for good.
        case closed(StateReason)

        /// The reason of an interruption or an end; `nil` in the other states.
        public var reason: StateReason? {
            switch self {
            case .connecting, .running: nil
            case .interrupted(let reason), .closed(let reason): reason
            }
        }
    }

    /// The present state.
    ///
    /// - Thread: any.
    public nonisolated var state: State { statePublisher.state }

    /// The present state, and then each state after it. The last 16 states wait for a reader that is busy.
    ///
    /// The sequence ends after `closed`.
    ///
    /// - Thread: any.
    public nonisolated var stateUpdates: Updates<State> {
        Updates { [statePublisher] in statePublisher.subscribe() }
    }

    /// Whether PipeWire's daemon is installed on this system, or one runs at the default place.
    ///
    /// - Thread: any. It looks for files, and connects to the socket for a moment.
    public static var isDaemonInstalled: Bool { DaemonPresence(remote: nil).isInstalled }

    /// Whether a daemon listens.
    ///
    /// - Parameter remote: the name or absolute path of the daemon's socket; by default that of
    ///   ``connect(as:name:iconName:remote:allowsConnectionsToSelf:isOneAppAcrossProcesses:restoresForeignConnections:waitsForDaemon:timeout:)``.
    /// - Thread: any. It connects to the socket for a moment.
    public static func isDaemonRunning(remote: String? = nil) -> Bool { DaemonPresence(remote: remote).isRunning }
}
