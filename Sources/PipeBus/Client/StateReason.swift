// SPDX-License-Identifier: MIT

/// The reason of an interruption or of the end of a client.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct StateReason: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a reason. Later versions may add kinds, so a `switch` needs a `default`.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// The kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// PipeWire is not installed.
        public static let notInstalled = Kind(rawValue: "notInstalled")
        /// No daemon runs at the given place.
        public static let notRunning = Kind(rawValue: "notRunning")
        /// This user has no permission for the daemon.
        public static let noPermission = Kind(rawValue: "noPermission")
        /// The daemon or the library is too old.
        public static let incompatible = Kind(rawValue: "incompatible")
        /// A daemon accepts connections but does not answer; or the present one has stopped answering, while ports that should run
        /// get no cycles, or while the app reads ``BusClient/activity(every:)``. In the second case the connection is kept, and the
        /// sound goes on when the daemon does.
        public static let notResponding = Kind(rawValue: "notResponding")
        /// The daemon has ended.
        public static let daemonGone = Kind(rawValue: "daemonGone")
        /// Another program has removed the app from the graph, as a patchbay does to close an app. The app should end.
        public static let removed = Kind(rawValue: "removed")
        /// Nothing drives the graph: ports that should run got no cycle for two seconds. The connection is fine, and calls
        /// work; see ``BusClient/State``.
        public static let noDriver = Kind(rawValue: "noDriver")
        /// The callback of a port (its block, and the library's part) takes more than the cycle's time in most cycles, or does not return. The connection is
        /// fine, and calls work; see ``BusClient/State``.
        public static let overloaded = Kind(rawValue: "overloaded")
        /// The system sleeps, or this process was stopped. The connection is fine, and calls work; see ``BusClient/State``.
        public static let suspended = Kind(rawValue: "suspended")
        /// The connection broke for lack of file descriptors.
        public static let outOfDescriptors = Kind(rawValue: "outOfDescriptors")
        /// The connection failed for another reason.
        public static let failed = Kind(rawValue: "failed")
        /// The app has closed the client.
        public static let closedByApp = Kind(rawValue: "closedByApp")
    }

    /// The kind of the reason, for a program to decide by.
    public let kind: Kind
    /// One plain sentence. It may be shown as it is, because it holds nothing that a terminal would act on.
    public let message: String
    /// Whether the connection to the daemon was lost, or could not be made. Otherwise it is there, and only the sound is
    /// interrupted: always with the reasons `noDriver`, `overloaded` and `suspended`, and with `notResponding` if the daemon has
    /// stopped answering meanwhile.
    ///
    /// After a session that broke within five seconds, the reason stays for the first two seconds of the next one.
    public let isConnectionLost: Bool

    init(_ kind: Kind, _ message: String, isConnectionLost: Bool = true) {
        self.kind = kind
        self.message = message.printable
        self.isConnectionLost = isConnectionLost
    }

    /// The ``message``.
    public var description: String { message }
}
