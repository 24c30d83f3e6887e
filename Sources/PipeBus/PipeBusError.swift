// SPDX-License-Identifier: MIT
import ConnectionGraph

/// What went wrong, with a sentence that a person can act on.
public struct PipeBusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of thing went wrong. More kinds may come, so a `switch` needs a `default`.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// No PipeWire daemon listens where one was looked for. Start one, or name another.
        public static let noDaemon = Code(rawValue: "noDaemon")
        /// The daemon or an object in it is not for this user.
        public static let noPermission = Code(rawValue: "noPermission")
        /// The daemon or the library is too old.
        public static let incompatible = Code(rawValue: "incompatible")
        /// The daemon went away, or has ended this app's connection. The sentence says which, and what can be done.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The client or the port was closed before.
        public static let closed = Code(rawValue: "closed")
        /// It did not happen in the time it was given.
        public static let timedOut = Code(rawValue: "timedOut")
        /// A name, a number or another value that cannot be used. The sentence says what can.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The app has a port of that name already.
        public static let duplicateName = Code(rawValue: "duplicateName")
        /// No port of that name, or several.
        public static let unknownPort = Code(rawValue: "unknownPort")
        /// Those numbers of channels do not go together.
        public static let channelMismatch = Code(rawValue: "channelMismatch")
        /// Every lane of the receiver has its source.
        public static let noFreeLane = Code(rawValue: "noFreeLane")
        /// There are links from the one port to the other already.
        public static let alreadyConnected = Code(rawValue: "alreadyConnected")
        /// There is nothing to disconnect.
        public static let notConnected = Code(rawValue: "notConnected")
        /// The two ports are of one app, which did not allow that.
        public static let selfConnection = Code(rawValue: "selfConnection")
        /// The port is not of a kind that can do that.
        public static let notSupported = Code(rawValue: "notSupported")
        /// PipeWire would not link the ports.
        public static let linkFailed = Code(rawValue: "linkFailed")
        /// PipeWire failed in some other way.
        public static let pipeWire = Code(rawValue: "pipeWire")
    }

    /// What a program may decide by.
    public let code: Code
    /// One plain sentence, which may be shown as it is: it holds nothing that a terminal would act on.
    public let message: String

    /// An error of an app's own making, in the same form.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message.printable
    }

    public var description: String { message }
}
