// SPDX-License-Identifier: MIT

/// What has become of a routing that is kept, at one moment.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct RoutingStatus: Sendable, Hashable {
    /// The state of a connection.
    public enum State: Sendable, Hashable {
        /// A port is missing. The texts name what is waited for, for people.
        case waiting(for: [String])
        /// Both ports are there, and the connection is being made.
        case making
        /// It is there.
        ///
        /// - Parameter isMade: whether the routing has made it since both ports are there. Otherwise it was there already, or
        ///   somebody has made it again.
        case connected(isMade: Bool)
        /// Somebody has removed it. It is made again when one of the two ports or the daemon comes back.
        case removed
        /// Somebody has removed it a second time. It is not made again.
        case stopped
        /// It could not be made. The text is a sentence. It is tried again if the cause may pass.
        case failed(String)
        /// A rule fits two ports that it does not connect. The text is a sentence.
        case leftOut(String)
    }

    /// One connection.
    public struct Line: Sendable, Hashable {
        /// Its index in ``RoutingPreset/connections``. A rule has a line for each pair of ports, and one line if there is no pair.
        public let index: Int
        /// The port that it comes from; `nil` while there is no such port.
        public let source: GraphPort.ID?
        /// The port that it goes to; `nil` while there is no such port.
        public let destination: GraphPort.ID?
        /// The name of the port, or what is known of it while it is missing.
        public let sourceName: String
        /// Likewise.
        public let destinationName: String
        /// What has become of it.
        public let state: State
        /// Why the level could not be set; a sentence.
        public let levelProblem: String?
    }

    /// A filter whose bypass is set.
    public struct BypassLine: Sendable, Hashable {
        /// Its index in ``RoutingPreset/bypasses``.
        public let index: Int
        /// The filter.
        public let filter: GraphPort.ID
        /// The filter's name.
        public let name: String
        /// Whether it is to be bypassed.
        public let isBypassed: Bool
        /// Whether it was set since the filter is there.
        public let isSet: Bool
        /// Why it could not be set; a sentence.
        public let problem: String?
    }

    /// In the order of the routing.
    public let connections: [Line]
    /// Those of the filters that are there.
    public let bypasses: [BypassLine]
    /// Whether nothing is under way: every port that is there is connected, or is not to be, or cannot be; and levels and
    /// bypasses are set. False while there is no connection to a daemon.
    public let isSettled: Bool
    /// False if rules fit more pairs of ports than are connected: ``RoutingPreset/mostConnections``.
    public let isComplete: Bool

    /// Whether all of the routing is there.
    public var isWhole: Bool {
        let areConnected = connections.allSatisfy { line in
            switch line.state {
            case .connected: line.levelProblem == nil
            case .leftOut: true
            case .waiting, .making, .removed, .stopped, .failed: false
            }
        }
        return isSettled && isComplete && areConnected && bypasses.allSatisfy { $0.problem == nil }
    }
}
