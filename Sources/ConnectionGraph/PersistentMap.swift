// SPDX-License-Identifier: MIT

/// A map from integers to values. Its copies share all parts that are alike, so a copy costs nothing, and a change of it little.
///
/// It is a radix tree with 16 branches, in which a path without branches is one step: C. Okasaki and A. Gill, "Fast Mergeable
/// Integer Maps", 1998, with four bits a step. Two maps with the same keys have the same shape, whatever came before. So two
/// versions of a map are compared without the parts that they share.
///
/// - Complexity: O(log *n*) for a look-up and for a change, also while copies exist; O(1) for a copy.
package struct PersistentMap<Value: Sendable>: Sendable {
    private(set) var root = Node.empty
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package subscript(key: UInt64) -> Value? {
        get { root.value(at: key) }
        set {
            if let newValue {
                if root.update(newValue, at: key) { count += 1 }
            } else {
                if root.remove(key) { count -= 1 }
            }
        }
    }
}

extension PersistentMap: Sequence {
    /// The entries in the order of their keys.
    package struct Iterator: IteratorProtocol {
        fileprivate var waiting: [Node]

        package mutating func next() -> (key: UInt64, value: Value)? {
            while let node = waiting.popLast() {
                switch node {
                case .empty: continue
                case .leaf(let key, let value): return (key, value)
                case .branch(let branch): waiting += branch.children.reversed()
                }
            }
            return nil
        }
    }

    package func makeIterator() -> Iterator { Iterator(waiting: [root]) }

    package var underestimatedCount: Int { count }
}

extension PersistentMap: Equatable where Value: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        var isEqual = true
        right.forEachDifference(from: left) { _, _, _ in isEqual = false }
        return isEqual
    }
}
