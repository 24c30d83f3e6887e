// SPDX-License-Identifier: MIT

/// A PipeWire version, of the library or of the daemon, as in "0.3.65".
package struct LibraryVersion: Comparable, Sendable, CustomStringConvertible {
    package let major: Int, minor: Int, micro: Int

    package init(_ major: Int, _ minor: Int, _ micro: Int) {
        (self.major, self.minor, self.micro) = (major, minor, micro)
    }

    /// Parses the leading "a.b.c". The rest, as in "1.4.2-1~bpo12", is ignored.
    package init?(parsing text: String) {
        let numbers = text.split(separator: ".", maxSplits: 2).map { part in Int(part.prefix { $0.isNumber }) }
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let micro = numbers[2] else {
            return nil
        }
        self.init(major, minor, micro)
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor, left.micro) < (right.major, right.minor, right.micro)
    }

    package var description: String { "\(major).\(minor).\(micro)" }

    /// The oldest version that PipeBus is tested with: Debian 12's.
    package static let oldestSupported = LibraryVersion(0, 3, 65)

    /// The first version in which a link is announced to its input before buffers are.
    ///
    /// An input of this library version or newer takes buffers only of an announced link. A daemon of an older version
    /// announces too late. So an app with a newer library hears nothing on an older daemon.
    package static let announcesLinksToInputs = LibraryVersion(0, 3, 72)

    /// The first version known to have a profiler that reports each cycle by itself.
    package static let reportsEachCycle = LibraryVersion(1, 4, 0)

    /// The first version whose graph has any forced quantum, and not only powers of two.
    package static let forcesAnyQuantum = LibraryVersion(0, 3, 82)

    /// The first version that loads the real-time module by default. Before it, another configuration file must be
    /// loaded for real-time scheduling.
    package static let loadsRealtimeModuleByDefault = LibraryVersion(1, 4, 0)
}
