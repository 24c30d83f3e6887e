// SPDX-License-Identifier: MIT

/// The app's own values for a source, kept over an interruption.
struct SourceValues {
    var context: (any Sendable)?
    var tag: UInt64
}
