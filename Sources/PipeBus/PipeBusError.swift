// SPDX-License-Identifier: MIT
import ConnectionGraph

/// An error, with a sentence that a person can act on.
///
/// - Thread: any.
/// - Realtime: unsafe.
public struct PipeBusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error. Later versions may add kinds, so a `switch` needs a `default`.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// The kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No PipeWire daemon listens at the given place. Start one, or name another.
        public static let noDaemon = Code(rawValue: "noDaemon")
        /// PipeWire is not installed.
        public static let notInstalled = Code(rawValue: "notInstalled")
        /// This user has no permission for the daemon or for an object in it.
        public static let noPermission = Code(rawValue: "noPermission")
        /// The daemon or the library is too old.
        public static let incompatible = Code(rawValue: "incompatible")
        /// There is no connection to a daemon at present: it has ended, or has ended this app's connection. The sentence says
        /// which. The client connects again by itself, unless its ``BusClient/state`` is `closed`.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The client or the port is closed.
        public static let closed = Code(rawValue: "closed")
        /// The time limit has passed.
        public static let timedOut = Code(rawValue: "timedOut")
        /// A name, a number or another value is invalid. The sentence says which values are valid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The app already has a port of that name.
        public static let duplicateName = Code(rawValue: "duplicateName")
        /// There is no port of that name, or there are several.
        public static let unknownPort = Code(rawValue: "unknownPort")
        /// There is no app of that name or identity, or there are several.
        public static let unknownApp = Code(rawValue: "unknownApp")
        /// The app has no such trigger.
        public static let unknownTrigger = Code(rawValue: "unknownTrigger")
        /// The numbers of channels do not match.
        public static let channelMismatch = Code(rawValue: "channelMismatch")
        /// Every lane of the receiver has a source.
        public static let noFreeLane = Code(rawValue: "noFreeLane")
        /// There already are links from the one port to the other.
        public static let alreadyConnected = Code(rawValue: "alreadyConnected")
        /// There is no such connection.
        public static let notConnected = Code(rawValue: "notConnected")
        /// The two ports belong to one app, which does not allow their connection.
        public static let selfConnection = Code(rawValue: "selfConnection")
        /// The port is of a kind that cannot do this.
        public static let notSupported = Code(rawValue: "notSupported")
        /// Another app refused a request. The sentence has its reason.
        public static let refused = Code(rawValue: "refused")
        /// PipeWire did not link the ports.
        public static let linkFailed = Code(rawValue: "linkFailed")
        /// Any other error of PipeWire.
        public static let pipeWire = Code(rawValue: "pipeWire")
    }

    /// The kind of the error, for a program to decide by.
    public let code: Code
    /// One plain sentence. It may be shown as it is, because it holds nothing that a terminal would act on.
    public let message: String

    /// Creates an app's own error in the same form.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message.printable
    }

    public var description: String { message }
}
