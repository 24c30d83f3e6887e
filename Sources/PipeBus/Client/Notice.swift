// SPDX-License-Identifier: MIT

/// Something an app may want to tell its user, which nobody asked for and which is no error.
///
/// - Thread: any. A value.
public struct Notice: Sendable, Hashable, CustomStringConvertible {
    /// What kind of thing happened. More kinds may come, so a `switch` needs a `default`.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Somebody linked a second source into a lane; it was moved to a free one.
        public static let linkMoved = Kind(rawValue: "linkMoved")
        /// Somebody linked a second source into a lane, and it stays: the two are one source now.
        public static let laneShared = Kind(rawValue: "laneShared")
        /// Somebody took a port of this app out of the graph, or one of its channels. It is closed; add it again to go on.
        public static let portLost = Kind(rawValue: "portLost")
        /// A source's sound is older than the receiver can align; it comes as it is, with a timestamp of its own.
        public static let sourceNotAligned = Kind(rawValue: "sourceNotAligned")
        /// Somebody connected the app to itself, which it does not allow; the connection was removed.
        public static let selfConnectionRemoved = Kind(rawValue: "selfConnectionRemoved")
        /// A connection of the app to itself was removed before and came back, or cannot be removed: it stays, and is not
        /// heard.
        public static let selfConnectionSilenced = Kind(rawValue: "selfConnectionSilenced")
        /// The app may hear itself, through a node of which nobody knows what it does. Nothing was done about it.
        public static let selfConnectionPossible = Kind(rawValue: "selfConnectionPossible")
        /// Another app asked for something that cannot be done.
        public static let requestRefused = Kind(rawValue: "requestRefused")
        /// Other apps cannot see or set the levels of this one's sources.
        public static let notShared = Kind(rawValue: "notShared")
        /// Somebody removed what makes a port run after another one of this app.
        public static let orderLost = Kind(rawValue: "orderLost")
        /// A source gives samples that are NaN or infinite, and is silent where it does. Told once while it goes on; see
        /// ``PortStatistics/invalidBlocks`` and ``LevelMeter/hasInvalidSamples``.
        public static let invalidSamples = Kind(rawValue: "invalidSamples")
        /// Something is connected and should run, and no cycle of the graph has come for two seconds. Told once, and again
        /// if the graph goes on and stands still another time.
        public static let graphStandsStill = Kind(rawValue: "graphStandsStill")
        /// The audio thread runs without real-time priority and may miss cycles under load.
        public static let noRealtimePriority = Kind(rawValue: "noRealtimePriority")
    }

    /// What an app may decide by.
    public let kind: Kind
    /// The name of the port of this app that it is about.
    public let port: String?
    /// One plain sentence, which may be shown as it is: it holds nothing that a terminal would act on.
    public let message: String

    init(kind: Kind, port: String?, message: String) {
        self.kind = kind
        self.port = port
        self.message = message.printable
    }

    public var description: String { message }
}
