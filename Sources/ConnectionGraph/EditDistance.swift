// SPDX-License-Identifier: MIT

/// How many slips of the finger lie between two texts: letters that are missing, too many, others, or swapped with the next one.
package enum EditDistance {
    /// The number of scalars that are compared. Hostile names may be far longer.
    static let longest = 100

    /// The distance from one text to another without regard to case, as optimal string alignment counts it.
    ///
    /// - Returns: `nil` if it is above the limit.
    static func between(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar], limit: Int) -> Int? {
        guard abs(first.count - second.count) <= limit else { return nil }
        var beforeLast = [Int](repeating: 0, count: second.count + 1)
        var last = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let isSame = first[row] == second[column]
                var distance = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    distance = min(distance, beforeLast[column - 1] + 1)
                }
                current.append(distance)
            }
            guard current.contains(where: { $0 <= limit }) else { return nil }
            (beforeLast, last) = (last, current)
        }
        return last[second.count] <= limit ? last[second.count] : nil
    }

    /// The text as it is compared.
    static func scalars(of text: String) -> [Unicode.Scalar] {
        // By scalars, because a Character has no largest length.
        Array(
            String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))).lowercased().unicodeScalars.prefix(
                longest))
    }

    /// The first of the names that are nearest to a text; `nil` if none is near: a third of the letters may be wrong. If no whole
    /// name is near, the beginnings of the names count, of a text of four letters at least.
    package static func nearest(to text: String, among names: [String]) -> String? {
        let typed = scalars(of: text)
        // Of one letter nothing would be left.
        guard typed.count > 1 else { return nil }
        let names = names.map { (name: $0, scalars: scalars(of: $0)) }
        if let name = nearest(to: typed, among: names) { return name }
        guard typed.count >= 4 else { return nil }
        return nearest(to: typed, among: names.map { ($0.name, Array($0.scalars.prefix(typed.count))) })
    }

    private static func nearest(
        to typed: [Unicode.Scalar], among names: [(name: String, scalars: [Unicode.Scalar])]
    ) -> String? {
        var nearest: String?
        var limit = max(1, typed.count / 3)
        for (name, scalars) in names {
            guard let distance = between(typed, scalars, limit: limit) else { continue }
            nearest = name
            if distance == 0 { break }
            limit = distance - 1
        }
        return nearest
    }
}
