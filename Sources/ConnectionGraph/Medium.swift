// SPDX-License-Identifier: MIT

/// What a channel carries.
///
/// - Thread: any.
/// - Realtime: unsafe.
public enum Medium: String, Sendable, Hashable, Codable, CaseIterable {
    /// Sound: the only one that PipeBus connects, and that its rules look at.
    case audio
    /// Notes and controllers, as MIDI 1 or UMP.
    case midi
    /// Pictures: of a camera, or of a screen.
    case video
    /// Anything else, such as control values of a filter.
    case other

    /// The medium that PipeWire's `format.dsp` names; `nil` for a port without one, which the node's class decides.
    init?(format: String?, isControl: Bool) {
        guard let format else {
            guard isControl else { return nil }
            self = .other
            return
        }
        self =
            switch format {
            case _ where format.contains("midi") || format.contains("UMP"): .midi
            case _ where format.contains("video"): .video
            case _ where format.contains("audio") && !isControl: .audio
            default: .other
            }
    }

    /// The medium of a node's ports without a format. An old audio port has none, nor has that of a camera.
    init(mediaClass: String) {
        self = mediaClass.hasPrefix("Video/") || mediaClass.hasSuffix("/Video") ? .video : .audio
    }
}
