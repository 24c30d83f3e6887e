// SPDX-License-Identifier: MIT
import DesktopSupport

/// The sizes that the icons in one folder of a theme have, in points, and for which scale they are made.
struct IconSizes: Sendable, Hashable {
    /// From the size of the pictures, or for those that scale, the range in which they look well.
    private var range: ClosedRange<Int>
    private var scale = 1

    /// The largest size and scale that are taken for one.
    private static let sizes = 1...4096
    private static let scales = 1...16

    /// Of pictures with one size.
    init(fixed size: Int) { range = size...size }

    /// Of pictures that scale.
    static let scalable = IconSizes(range: 1...512)

    private init(range: ClosedRange<Int>) { self.range = range }

    /// - Returns: `nil` for a folder without a size.
    init?(_ keys: KeyFile, of folder: String) {
        func number(_ key: String, _ range: ClosedRange<Int>) -> Int? {
            keys.string(key, in: folder).flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        guard let size = number("Size", Self.sizes) else { return nil }
        scale = number("Scale", Self.scales) ?? 1
        switch keys.string("Type", in: folder) {
        case "Fixed": range = size...size
        case "Scalable":
            let least = number("MinSize", Self.sizes) ?? size
            range = least...max(number("MaxSize", Self.sizes) ?? size, least)
        default:
            let threshold = number("Threshold", 0...Self.sizes.upperBound) ?? 2
            range = max(size - threshold, 1)...size + threshold
        }
    }

    /// Whether the icons are made for a size.
    func match(_ size: Int, scale: Int) -> Bool { scale == self.scale && range.contains(size) }

    /// How many pixels they are away from it.
    func distance(from size: Int, scale: Int) -> Int {
        // Clamped, so that no size of a caller overflows.
        let wanted = min(max(size, 0), 1 << 20) * min(max(scale, 0), 1 << 10)
        if wanted < range.lowerBound * self.scale { return range.lowerBound * self.scale - wanted }
        return max(wanted - range.upperBound * self.scale, 0)
    }
}
