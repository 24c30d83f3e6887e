// SPDX-License-Identifier: MIT
import PipeBus

/// What a key asks for beyond the screen itself.
enum WatchRequest: Hashable, Sendable {
    /// A change of a source's level at a receiver.
    enum Level: Hashable, Sendable {
        /// In decibels.
        case volumeStep(Double)
        case fullVolume
        /// To the right, in hundredths.
        case panStep(Double)
        case toggleMute
        case toggleSolo
    }

    case quit
    case suspend
    case repaint
    case connect(WatchEdge)
    case disconnect(WatchEdge)
    case level(Level, WatchEdge)
    case toggleBypass(GraphPort.ID)
    /// Takes back the last change of connections, and makes it again.
    case undo, redo
}
