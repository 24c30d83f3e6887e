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
            case _ where format.hasBytes("midi") || format.hasBytes("UMP"): .midi
            case _ where format.hasBytes("video"): .video
            case _ where format.hasBytes("audio") && !isControl: .audio
            default: .other
            }
    }

    /// The medium of a node's ports without a format. An old audio port has none, nor has that of a camera.
    init(mediaClass: String) {
        self = mediaClass.hasPrefix("Video/") || mediaClass.hasSuffix("/Video") ? .video : .audio
    }
}

extension String {
    /// Whether a word is in the text. Not by Character, which takes most of the time of adding a port.
    fileprivate func hasBytes(_ word: String) -> Bool {
        guard let first = word.utf8.first else { return true }
        var rest = utf8[...]
        while let place = rest.firstIndex(of: first) {
            rest = rest[place...]
            if rest.starts(with: word.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
