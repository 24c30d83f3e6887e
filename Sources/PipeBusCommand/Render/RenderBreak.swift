// SPDX-License-Identifier: MIT

/// The end of the chain while it played. If a filter's program has ended, that is the reason, and is known a moment later.
struct RenderBreak: Error {
    /// The reason, if it is no other one.
    let sentence: String
}
