// SPDX-License-Identifier: MIT
import ConnectionGraph

/// An error of a sound file, with a sentence that a person can act on.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct SoundError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error. Later versions may add kinds, so a `switch` needs a `default`.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// The kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be read: it is no file, is empty, or its disk fails.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file is no sound file that can be read, or its header says what no sound can be.
        public static let unknownFormat = Code(rawValue: "unknownFormat")
        /// Another program changed the file while it was read.
        public static let changed = Code(rawValue: "changed")
        /// A number or another value is invalid, such as a frame after the end.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// No file of that format can hold such a sound: it has too many channels, another sample rate, or is too long.
        public static let notRepresentable = Code(rawValue: "notRepresentable")
        /// There is no room: the disk, the quota or the largest size of a file is reached.
        public static let noSpace = Code(rawValue: "noSpace")
        /// The file cannot be written for any other reason.
        public static let unwritable = Code(rawValue: "unwritable")
        /// The sound has nothing that an action can work with, such as one that is silent where loudness is asked for.
        public static let unsuitable = Code(rawValue: "unsuitable")
    }

    /// The kind of the error, for a program to decide by.
    public let code: Code
    /// One plain sentence. It may be shown as it is, because it holds nothing that a terminal would act on.
    public let message: String

    /// Creates an action's own error in the same form.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message.printable
    }

    public var description: String { message }
}
