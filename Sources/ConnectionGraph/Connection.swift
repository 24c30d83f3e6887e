// SPDX-License-Identifier: MIT

/// The path of sound, or of another medium, from one port to another: one link for each pair of channels.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct Connection: Sendable, Hashable, CustomStringConvertible {
    /// One link, by the indexes of its channels in ``GraphPort/outputs`` and ``GraphPort/inputs``, or for another medium in
    /// ``GraphPort/outputs(of:)`` and ``GraphPort/inputs(of:)``.
    public struct Link: Sendable, Hashable, Comparable {
        /// The channel that the link comes from, counted from 0 in ``GraphPort/outputs``.
        public let output: Int
        /// The channel that the link goes to, counted from 0 in ``GraphPort/inputs``.
        public let input: Int
        /// Global id of the link, reused by the daemon after the link is gone.
        package let id: UInt32
        /// PipeWire's `object.serial` of the link: the greater, the younger.
        package let serial: UInt64

        package init(output: Int, input: Int, id: UInt32, serial: UInt64) {
            self.output = output
            self.input = input
            self.id = id
            self.serial = serial
        }

        public static func < (left: Self, right: Self) -> Bool {
            (left.output, left.input, left.serial) < (right.output, right.input, right.serial)
        }
    }

    /// The port that it comes from.
    public let source: GraphPort.ID
    /// The port that it goes to.
    public let destination: GraphPort.ID
    /// What all its links carry.
    public let medium: Medium
    /// Ordered by output, then input. Never empty.
    public let links: [Link]

    /// For a person: ":42 → :57", with what it carries if that is no sound.
    ///
    /// The names are of the form ":serial", as a connection does not know others. ``GraphSnapshot/port(named:as:)`` finds the
    /// ports by them, and ``GraphSnapshot/uniqueName(of:)`` has the names for people.
    public var description: String {
        ":\(source.serial) → :\(destination.serial)" + (medium == .audio ? "" : " (\(medium.rawValue))")
    }

    /// The serial of the youngest link.
    var youngestSerial: UInt64 { links.map(\.serial).max() ?? 0 }
    /// The serial of the oldest link.
    var oldestSerial: UInt64 { links.map(\.serial).min() ?? 0 }

    package init(source: GraphPort.ID, destination: GraphPort.ID, medium: Medium = .audio, links: [Link]) {
        self.source = source
        self.destination = destination
        self.medium = medium
        self.links = links
    }
}
