// SPDX-License-Identifier: MIT

/// What is heard of a filter that is bypassed, or was, and where it goes from there.
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
/// Pure. Every event may come in every state; where the table below has no row for it, nothing changes.
enum BypassState: Equatable, Sendable {
    /// There is no bypass.
    case wet
    /// The delay line fills with what comes.
    case filling
    /// The filter's sound is faded over to the dry one.
    case toDry
    case dry
    /// The block runs again, and its sound is not whole yet.
    case waitingForWet
    /// The dry sound is faded over to the filter's.
    case toWet

    enum Event: Equatable, Sendable {
        /// The newest order is to bypass the filter.
        case isWanted
        /// The newest order is not to.
        case isUnwanted
        /// As much has gone into the delay line as comes out first.
        case lineFilled
        /// The crossfade stands at its dry end.
        case allDry
        /// The crossfade stands at its wet end.
        case allWet
        /// The block has run for as long as its latency is.
        case wetIsWhole
        /// Nobody listens any more.
        case reset
    }

    /// Moves on.
    ///
    /// - Returns: whether it is another state now.
    /// - Realtime: safe.
    @_noLocks
    @discardableResult
    mutating func handle(_ event: Event) -> Bool {
        switch (self, event) {
        case (.wet, .isWanted): self = .filling
        case (.filling, .isUnwanted): self = .wet
        case (.filling, .lineFilled): self = .toDry
        case (.toDry, .isUnwanted): self = .toWet
        case (.toDry, .allDry): self = .dry
        // Where the sample rate changes, a fade that has hardly begun may be none any more.
        case (.toDry, .allWet): self = .filling
        case (.dry, .isUnwanted): self = .waitingForWet
        case (.waitingForWet, .isWanted): self = .dry
        case (.waitingForWet, .wetIsWhole): self = .toWet
        case (.toWet, .isWanted): self = .toDry
        case (.toWet, .allWet): self = .wet
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
