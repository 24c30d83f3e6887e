// SPDX-License-Identifier: MIT

/// A PipeWire version, of the library or of the daemon, as in "0.3.65".
package struct LibraryVersion: Comparable, Sendable, CustomStringConvertible {
    package let major: Int, minor: Int, micro: Int

    package init(_ major: Int, _ minor: Int, _ micro: Int) {
        (self.major, self.minor, self.micro) = (major, minor, micro)
    }

    /// Reads the leading "a.b.c"; what follows, as in "1.4.2-1~bpo12", is ignored.
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

    /// The oldest version that PipeBus was tried with: Debian 12's.
    package static let oldestSupported = LibraryVersion(0, 3, 65)

    /// Since this, an input takes buffers only of a link that was announced to it before, and a daemon announces links in
    /// time only since this: an app with a newer library hears nothing on an older daemon.
    package static let announcesLinksToInputs = LibraryVersion(0, 3, 72)

    /// Before this, real-time scheduling must be asked for by loading another configuration file.
    package static let loadsRealtimeModuleByDefault = LibraryVersion(1, 4, 0)
}
