// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Why an action gave no result, or cannot be run, with a sentence that a person can act on.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct ActionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure. Later versions may add kinds, so a `switch` needs a `default`.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// The kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no session bus (D-Bus).
        public static let noSessionBus = Code(rawValue: "noSessionBus")
        /// The action does not take these files.
        public static let notAccepted = Code(rawValue: "notAccepted")
        /// A file cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The action's program could not be started.
        public static let notStarted = Code(rawValue: "notStarted")
        /// The action did not answer in time, or did nothing for too long.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The action's program ended before it was done.
        public static let ended = Code(rawValue: "ended")
        /// The action itself said why it failed.
        public static let refused = Code(rawValue: "refused")
        /// What the action gave is no result: no sound, or none that can be read.
        public static let invalidResult = Code(rawValue: "invalidResult")
        /// A file cannot be written: no room, no permission, or its name is another file's.
        public static let unwritable = Code(rawValue: "unwritable")
        /// A parameter has a value that the action does not take.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// An action describes itself wrongly.
        public static let invalidDescription = Code(rawValue: "invalidDescription")
    }

    /// The kind of the failure, for a program to decide by.
    public let code: Code
    /// One plain sentence. It may be shown as it is, because it holds nothing that a terminal would act on.
    public let message: String

    /// Creates an action's own failure, ``Code/refused``: what the user sees.
    public init(_ message: String) { self.init(.refused, message) }

    /// Creates a failure.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message.shown(atMost: 1000)
    }

    public var description: String { message }
}
