// SPDX-License-Identifier: MIT

/// Where the delay lines of a bypass may lie.
enum BypassPlaces {
    /// How many lines there may be at once. Each has a bit in the audio thread's report of those that it holds.
    static var count: Int { @_noLocks get { 8 } }
}
