// SPDX-License-Identifier: MIT

/// The slots for the delay lines of a bypass.
enum BypassSlots {
    /// The largest number of lines at once. Each has a bit in the audio thread's report of the lines that it uses.
    static var count: Int { @_noLocks get { 8 } }
}
