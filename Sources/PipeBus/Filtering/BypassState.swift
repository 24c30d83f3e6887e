// SPDX-License-Identifier: MIT

/// The states of a filter's bypass, and the transitions between them.
///
/// | state           | the block   | heard                       |
/// | --------------- | ----------- | --------------------------- |
/// | `wet`           | is called   | the filter                  |
/// | `filling`       | is called   | the filter                  |
/// | `toDry`         | is called   | the filter, fading to dry   |
/// | `dry`           | is not      | the dry sound               |
/// | `waitingForWet` | is called   | the dry sound               |
/// | `toWet`         | is called   | the dry sound, fading to wet |
///
/// Pure. Every event may occur in every state. Where the table has no row for it, nothing changes.
enum BypassState: Equatable, Sendable {
    /// There is no bypass.
    case wet
    /// The delay line is filling.
    case filling
    /// The output is being crossfaded to the dry sound.
    case toDry
    case dry
    /// The block runs again, but its sound is not whole yet.
    case waitingForWet
    /// The output is being crossfaded to the filter's sound.
    case toWet

    enum Event: Equatable, Sendable {
        /// The newest request is for a bypass.
        case bypassRequested
        /// The newest request ends the bypass.
        case bypassReleased
        /// The delay line is full: its first frame is due.
        case lineFilled
        /// The crossfade is at its dry end.
        case fadedToDry
        /// The crossfade is at its wet end.
        case fadedToWet
        /// The block has run for as long as its latency.
        case wetCompleted
        /// The filter has no listener any more.
        case reset
    }

    /// Applies an event.
    ///
    /// - Returns: whether the state has changed.
    /// - Realtime: safe.
    @_noLocks
    @discardableResult
    mutating func handle(_ event: Event) -> Bool {
        switch (self, event) {
        case (.wet, .bypassRequested): self = .filling
        case (.filling, .bypassReleased): self = .wet
        case (.filling, .lineFilled): self = .toDry
        case (.toDry, .bypassReleased): self = .toWet
        case (.toDry, .fadedToDry): self = .dry
        // After a change of the sample rate, a crossfade that has hardly begun may be back at its wet end.
        case (.toDry, .fadedToWet): self = .filling
        case (.dry, .bypassReleased): self = .waitingForWet
        case (.waitingForWet, .bypassRequested): self = .dry
        case (.waitingForWet, .wetCompleted): self = .toWet
        case (.toWet, .bypassRequested): self = .toDry
        case (.toWet, .fadedToWet): self = .wet
        case (.filling, .reset), (.toDry, .reset), (.dry, .reset), (.waitingForWet, .reset), (.toWet, .reset):
            self = .wet
        default: return false
        }
        return true
    }

    /// Whether the block is called.
    var callsBlock: Bool {
        @_noLocks get {
            switch self {
            case .dry: false
            default: true
            }
        }
    }
}
