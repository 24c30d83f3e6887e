import ConnectionGraph
// SPDX-License-Identifier: MIT
import DesktopSupport

/// The form of a port in a desktop entry: `name:kind:channels:title`, such as `out:sender:2:Main Out`.
///
/// A filter has two numbers of channels if they differ, as in `fx:filter:1>2:Echo`. A name has no colon; a title may.
extension AppPort {
    var text: String {
        let channels =
            switch kind {
            case .sender: "\(outputCount)"
            case .receiver: "\(inputCount)"
            case .filter: inputCount == outputCount ? "\(inputCount)" : "\(inputCount)>\(outputCount)"
            }
        return "\(name):\(kind.rawValue):\(channels):\(title)"
    }

    /// Reads the form. Text of another program may be anything.
    ///
    /// - Returns: `nil` if it is no port.
    init?(text: String) {
        // By scalars: with a mark behind it, a colon is another character.
        let fields = text.unicodeScalars.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            .map { String($0) }
        guard fields.count >= 3, let kind = PortKind(rawValue: fields[1]) else { return nil }
        let counts = fields[2].split(separator: ">", omittingEmptySubsequences: false).map { Self.count($0) }
        guard counts.count == 1 || counts.count == 2 && kind == .filter,
            let first = counts[0], let last = counts[counts.count - 1]
        else { return nil }
        let title = fields.count > 3 && !fields[3].isEmpty ? fields[3] : fields[0]
        self.init(
            name: fields[0], kind: kind, inputCount: kind == .sender ? 0 : first,
            outputCount: kind == .receiver ? 0 : last, title: title)
        guard EntryText.isName(name), EntryText.isShown(title) else { return nil }
    }

    private static func count(_ text: Substring) -> Int? {
        guard text.utf8.count <= 2, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(text) else {
            return nil
        }
        return channelCounts.contains(count) ? count : nil
    }
}
