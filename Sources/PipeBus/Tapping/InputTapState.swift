// SPDX-License-Identifier: MIT

/// What a filter hears while sources of its input are exchanged.
///
/// | state | the filter hears | until |
/// | --- | --- | --- |
/// | `input` | its input | the tap has had the same sound for some cycles |
/// | `tapped` | the tap | the control side ends that |
/// | `fading` | a fade from the tap to the input | the fade is over |
/// | `ended` | its input | the next exchange |
enum InputTapState: Sendable, CaseIterable {
    case input, tapped, fading, ended

    /// 0…3, in the order of the table.
    var number: Int {
        @_noLocks get {
            switch self {
            case .input: 0
            case .tapped: 1
            case .fading: 2
            case .ended: 3
            }
        }
    }
}
