// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// An event that an app may want to show its user. It is no error, and no call's answer.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct Notice: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a notice. Later versions may add kinds, so a `switch` needs a `default`.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// The kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Another program linked a second source into a lane. The source was moved to a free lane.
        public static let linkMoved = Kind(rawValue: "linkMoved")
        /// Another program linked a second source into a lane, and the source stays there. The two count as one source.
        public static let laneShared = Kind(rawValue: "laneShared")
        /// Another program removed a port of this app, or one of its channels. The port is added to the graph again, with its
        /// connections.
        public static let portRestored = Kind(rawValue: "portRestored")
        /// Another program removes a port of this app again and again. The port is closed; add it again to go on.
        public static let portLost = Kind(rawValue: "portLost")
        /// A port of this app could not be added to the graph when the daemon came, when it came back, or after another program
        /// had removed the port. It is tried again, in the end
        /// every two seconds. Posted after the third failure in a row.
        public static let portNotRestored = Kind(rawValue: "portNotRestored")
        /// A connection that existed before an interruption could not be made again. It is tried again if the cause may pass, and
        /// otherwise forgotten.
        public static let connectionNotRestored = Kind(rawValue: "connectionNotRestored")
        /// A source's sound is older than the receiver can align. It is not delayed, and has a timestamp of its own.
        public static let sourceNotAligned = Kind(rawValue: "sourceNotAligned")
        /// Another program connected the app to itself, which the app does not allow. The connection was removed.
        public static let selfConnectionRemoved = Kind(rawValue: "selfConnectionRemoved")
        /// A connection of the app to itself came back after its removal, or cannot be removed. It stays, and is silent.
        public static let selfConnectionSilenced = Kind(rawValue: "selfConnectionSilenced")
        /// The app may hear itself, through a node whose inner path is unknown. The connection was not changed.
        public static let selfConnectionPossible = Kind(rawValue: "selfConnectionPossible")
        /// Another app's request was refused.
        public static let requestRefused = Kind(rawValue: "requestRefused")
        /// Other apps cannot see or set the levels of this app's sources.
        public static let notShared = Kind(rawValue: "notShared")
        /// Another program removed the link that makes a port run after another port of this app.
        public static let orderLost = Kind(rawValue: "orderLost")
        /// A source sends samples that are NaN, infinite or out of range. The blocks with such samples are silenced.
        ///
        /// It is posted once, and again only after ten seconds without such a block; see
        /// ``PortStatistics/invalidBlocks`` and ``LevelMeter/hasInvalidSamples``.
        public static let invalidSamples = Kind(rawValue: "invalidSamples")
        /// A port is connected and should run, but no cycle of the graph has come for two seconds. Posted once for each
        /// standstill; ``Notice/source`` is a source of this app that PipeWire waits for, if one hangs.
        public static let graphStandsStill = Kind(rawValue: "graphStandsStill")
        /// A source has stopped answering, or waits for one that has, and held up a port of this app. The source was
        /// disconnected until it answers; see ``Source/isStalled``. Posted once for each time.
        public static let sourceStalled = Kind(rawValue: "sourceStalled")
        /// A source that had stopped answering answers again, and was connected again. Posted once for each ``sourceStalled`` that
        /// ends so.
        public static let sourceRestored = Kind(rawValue: "sourceRestored")
        /// An app further upstream has stopped answering, and holds up a port of this app. Nothing was changed yet: the next
        /// app disconnects it, or this one what waits for it (``sourceStalled``). Posted once for each time. ``Notice/message`` says so
        /// where it is a port of this process itself, made by another client.
        public static let upstreamStalled = Kind(rawValue: "upstreamStalled")
        /// For five seconds, an app further upstream has not held up a port of this app. Its sound may still be missing, if somebody has
        /// disconnected it. Posted once for each ``upstreamStalled``, unless the connection to the daemon ends before.
        public static let upstreamRestored = Kind(rawValue: "upstreamRestored")
        /// A process block of this app does not return for 80 ms, or for two cycles if that is longer, and holds up everything
        /// downstream of the app. Posted once for each such call, while it goes on: up to 0.1 s later.
        public static let blockStalled = Kind(rawValue: "blockStalled")
        /// Another device drives the graph. Sound and positions go on; see ``AudioCycle/clock``. An app has nothing to do.
        ///
        /// This kind and the next four are posted while a port is connected, within about a second, once for all ports. Of
        /// each kind there are four at once and then one in ten seconds, which has the last value; the two kinds of freewheeling
        /// count together.
        public static let driverChanged = Kind(rawValue: "driverChanged")
        /// The graph has another sample rate; see ``AudioCycle/sampleRate``. A block that computes with the rate takes it from
        /// each cycle, so it has nothing to do.
        public static let sampleRateChanged = Kind(rawValue: "sampleRateChanged")
        /// The graph's cycles have another length; see ``AudioCycle/frameCount``. An app has nothing to do.
        public static let quantumChanged = Kind(rawValue: "quantumChanged")
        /// The graph runs as fast as it can now, as for an export; see ``AudioCycle/isFreewheeling``.
        public static let freewheelingBegan = Kind(rawValue: "freewheelingBegan")
        /// The graph runs in real time again.
        public static let freewheelingEnded = Kind(rawValue: "freewheelingEnded")
        /// A receiver that monitors automatically cannot play its mix on the default device, because their numbers of channels do
        /// not go together. Nothing is played until another device is the default. Posted once whenever such a device becomes it.
        public static let monitorNotPlayed = Kind(rawValue: "monitorNotPlayed")
        /// The audio thread runs without real-time priority and may miss cycles under load.
        public static let noRealtimePriority = Kind(rawValue: "noRealtimePriority")
    }

    /// The kind of the notice, for a program to decide by.
    public let kind: Kind
    /// The name of the port of this app that the notice is about, if any.
    public let port: String?
    /// The port of another app that the notice is about, if it is about one, in the graph at that time. Two ports may have one title.
    public let source: GraphPort.ID?
    /// One plain sentence, and another one if notices like it were left out: of one kind and port there are at most 64 at once, and
    /// then one in five seconds. It may be shown as it is, because it holds nothing that a terminal would act on.
    public let message: String

    init(kind: Kind, port: String?, source: GraphPort.ID? = nil, message: String) {
        self.kind = kind
        self.port = port
        self.source = source
        self.message = message.printable
    }

    /// The ``message``.
    public var description: String { message }

    func adding(_ sentence: String) -> Notice {
        Notice(kind: kind, port: port, source: source, message: "\(message) \(sentence)")
    }
}
