// SPDX-License-Identifier: MIT

extension BusClient {
    /// The state of a client's connection to its daemon, and of the graph.
    ///
    /// | from | to | when |
    /// | --- | --- | --- |
    /// | `connecting` | `running` | the daemon has answered |
    /// | `connecting` | `interrupted` | there is no daemon, and the client waits for one |
    /// | `running` | `interrupted` | the connection is lost: the daemon has ended, this process has no descriptors left, or it broke for another reason |
    /// | `interrupted` | `running` | a daemon is there, and the ports are in its graph again. Connections follow |
    /// | `running` | `interrupted`, `noDriver` | connected ports got no cycle for 2 s, because nothing drives the graph |
    /// | `interrupted`, `noDriver` | `running` | cycles come again, or nothing is connected; up to half a second later |
    /// | `running` | `interrupted`, `notResponding` | the daemon has stopped answering, while connected ports should run, or while ``activity(every:)`` is read |
    /// | `interrupted`, `notResponding` | `running` | it answers again |
    /// | `running` | `interrupted`, `overloaded` | a port's callback (its block, and the library's part) took more than the cycle's time in most cycles of a second, or does not return |
    /// | `interrupted`, `overloaded` | `running` | it has been fine for a second |
    /// | `running` | `interrupted`, `suspended` | the computer goes to sleep, where there is a system bus with logind |
    /// | `interrupted`, `suspended` | `running` | it has woken up |
    /// | `running` | `interrupted`, `suspended`, and `running` at once | the computer slept and no bus told so; or this process did not run for a second or more, while a port was connected. The reason says which, and how long |
    /// | any | `closed` | the app has closed the client, or another program has removed it |
    ///
    /// With the reasons `noDriver`, `overloaded` and `suspended` the connection is there, and all calls work as in `running`. With
    /// `notResponding` it is there too if the daemon has stopped answering meanwhile; calls then wait until their time limit.
    /// ``StateReason/isConnectionLost`` tells the two apart.
    /// `noDriver` and `overloaded` are never the state of a graph that is merely idle, as when no port is connected or the peers are
    /// paused. After a sleep the sound comes back by itself, and the next cycle of each block is discontinuous.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public enum State: Sendable, Hashable {
        /// The client connects for the first time.
        case connecting
        /// The client is connected, and its ports are in the graph.
        case running
        /// The client has no connection at present, and connects again by itself; or it has one, and the sound is interrupted
        /// for another reason, see the table. The ports stay valid objects: what the app sets is used when they are in a graph
        /// again.
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
    /// - Realtime: unsafe: it takes a lock.
    public nonisolated var state: State { statePublisher.state }

    /// The present state, and then each state after it. The last 16 states wait for a reader that is busy.
    ///
    /// The sequence ends after `closed`.
    ///
    /// - Thread: any.
    /// - Realtime: unsafe.
    public nonisolated var stateUpdates: Updates<State> {
        Updates { [statePublisher] in statePublisher.subscribe() }
    }

    /// Whether PipeWire's daemon is installed on this system, or one runs at the default place.
    ///
    /// - Thread: any. It looks for files, and connects to the socket for a moment.
    /// - Realtime: unsafe.
    public static var isDaemonInstalled: Bool { DaemonPresence(remote: nil).isInstalled }

    /// Whether something takes connections at the daemon's socket, also if it does not answer.
    ///
    /// False where this user may not connect, and for an empty name. True if it cannot be tried because the process has no descriptors left.
    ///
    /// - Parameter remote: the name or absolute path of the daemon's socket; by default that of
    ///   ``connect(as:name:iconName:remote:allowsConnectionsToSelf:isOneAppAcrossProcesses:restoresForeignConnections:waitsForDaemon:timeout:)``.
    /// - Thread: any. It connects to the socket for a moment.
    /// - Realtime: unsafe.
    public static func isDaemonRunning(remote: String? = nil) -> Bool {
        remote?.isEmpty != true && DaemonPresence(remote: remote).isRunning
    }
}
