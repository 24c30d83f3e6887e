// SPDX-License-Identifier: MIT

/// A key as a person presses it.
enum WatchKey: Hashable, Sendable {
    case character(Character)
    case up, down, left, right
    case pageUp, pageDown, home, end
    case enter, escape, backspace, tab, backTab
    /// Control-Z.
    case suspend
    /// Control-L: the screen is painted anew, after another program has written into it.
    case repaint
}
