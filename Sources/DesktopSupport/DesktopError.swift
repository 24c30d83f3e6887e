// SPDX-License-Identifier: MIT
import ConnectionGraph

/// An error of what the desktop keeps in files, with a sentence that a person can act on. Each product has it as an error of its own.
package struct DesktopError: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A file is not what it should be.
        case invalid
        /// This user may not do that, or the disk is full.
        case refused
    }

    package let kind: Kind
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message.printable
    }
}
