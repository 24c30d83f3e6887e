// SPDX-License-Identifier: MIT

extension PersistentMap where Value: Equatable {
    /// Calls a closure with each key whose value is another one than in an earlier version of the map.
    ///
    /// Parts that the two share are left out, so the time is in the number of changes and O(log *n*) for each.
    ///
    /// - Parameter report: called in the order of the keys, with the earlier value and the later one; `nil` for none.
    func forEachDifference(from earlier: Self, _ report: (UInt64, Value?, Value?) -> Void) {
        Node.compare(earlier.root, root, report)
    }
}

extension PersistentMap.Node where Value: Equatable {
    fileprivate static func compare(_ old: Self, _ new: Self, _ report: (UInt64, Value?, Value?) -> Void) {
        switch (old, new) {
        case (.leaf(let key, let before), .leaf(let other, let after)) where key == other:
            if before != after { report(key, before, after) }
        case (.branch(let before), .branch(let after))
        where before.shift == after.shift && before.prefix == after.prefix:
            guard !before.isIdentical(to: after) else { return }
            for key in before.keys(with: after) {
                compare(before.child(of: key) ?? .empty, after.child(of: key) ?? .empty, report)
            }
        case (.branch(let before), _) where new.isBelow(before):
            for key in before.keys(with: new.firstKey) {
                let hasDigit = before.haveSameDigit(key, new.firstKey)
                compare(before.child(of: key) ?? .empty, hasDigit ? new : .empty, report)
            }
        case (_, .branch(let after)) where old.isBelow(after):
            for key in after.keys(with: old.firstKey) {
                let hasDigit = after.haveSameDigit(key, old.firstKey)
                compare(hasDigit ? old : .empty, after.child(of: key) ?? .empty, report)
            }
        default:
            // The keys of two such nodes do not mix: all of one come before all of the other.
            let isOldFirst = old.firstKey < new.firstKey
            if isOldFirst { old.forEach { report($0, $1, nil) } }
            new.forEach { report($0, nil, $1) }
            if !isOldFirst { old.forEach { report($0, $1, nil) } }
        }
    }
}

extension PersistentMap.Node {
    /// No key of the node is less. 0 for an empty node.
    fileprivate var firstKey: UInt64 {
        switch self {
        case .empty: 0
        case .leaf(let key, _): key
        case .branch(let branch): branch.prefix
        }
    }

    /// Whether the node's keys belong into one child of a branch.
    fileprivate func isBelow(_ branch: PersistentMap.Branch) -> Bool {
        switch self {
        case .empty: false
        case .leaf(let key, _): branch.hasPrefix(of: key)
        case .branch(let own): own.shift < branch.shift && branch.hasPrefix(of: own.prefix)
        }
    }

    private func forEach(_ body: (UInt64, Value) -> Void) {
        switch self {
        case .empty: break
        case .leaf(let key, let value): body(key, value)
        case .branch(let branch): for child in branch.children { child.forEach(body) }
        }
    }
}
