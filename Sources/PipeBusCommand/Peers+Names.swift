// SPDX-License-Identifier: MIT
import PipeBus

extension [Peer] {
    /// The name of an app that has several clients: each of their names once. "unnamed" if nobody can see one of them.
    var names: String {
        var seen: Set<String> = []
        let visible = map(\.name).filter { $0.unicodeScalars.contains(where: \.isVisible) && seen.insert($0).inserted }
        return visible.isEmpty ? "unnamed" : visible.joined(separator: " + ")
    }
}

extension Unicode.Scalar {
    /// Whether a font has ink for it. U+2800 is a pattern of Braille without a dot.
    fileprivate var isVisible: Bool {
        !properties.isDefaultIgnorableCodePoint && !properties.isWhitespace && value != 0x2800
            && ![.control, .format].contains(properties.generalCategory)
    }
}
