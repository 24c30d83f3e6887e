// SPDX-License-Identifier: MIT

extension PersistentMap {
    enum Node: Sendable {
        case empty
        indirect case leaf(UInt64, Value)
        case branch(Branch)
    }

    /// Two to sixteen nodes whose keys differ first in one digit of four bits.
    struct Branch: Sendable {
        /// The place of the digit: a multiple of 4, in bits.
        let shift: UInt8
        /// The digits above it, which all keys have in common, in their places.
        let prefix: UInt64
        /// The digits that there are, one bit each.
        private(set) var digits: UInt16
        /// In the order of their digits.
        private(set) var children: [Node]
    }
}

extension PersistentMap.Node {
    func value(at key: UInt64) -> Value? {
        var node = self
        while case .branch(let branch) = node {
            guard let child = branch.child(of: key) else { return nil }
            node = child
        }
        guard case .leaf(let other, let value) = node, other == key else { return nil }
        return value
    }

    /// - Returns: whether the key is new.
    mutating func update(_ value: Value, at key: UInt64) -> Bool {
        switch self {
        case .empty: self = .leaf(key, value)
        case .leaf(let other, _):
            guard other != key else {
                self = .leaf(key, value)
                return false
            }
            self = .branch(.init(self, at: other, .leaf(key, value), at: key))
        case .branch(var branch):
            // Without a second reference to its children the branch is changed in place.
            self = .empty
            guard branch.hasPrefix(of: key) else {
                self = .branch(.init(.branch(branch), at: branch.prefix, .leaf(key, value), at: key))
                return true
            }
            let isNew = branch.update(value, at: key)
            self = .branch(branch)
            return isNew
        }
        return true
    }

    /// - Returns: whether the key was there.
    mutating func remove(_ key: UInt64) -> Bool {
        switch self {
        case .empty: return false
        case .leaf(let other, _):
            guard other == key else { return false }
            self = .empty
            return true
        case .branch(var branch):
            guard branch.hasPrefix(of: key) else { return false }
            self = .empty
            let isFound = branch.remove(key)
            // A branch has two children at least, so that the same keys have the same shape.
            self = branch.children.count == 1 ? branch.children[0] : .branch(branch)
            return isFound
        }
    }
}

extension PersistentMap.Branch {
    typealias Node = PersistentMap.Node

    /// The branch of two nodes with different keys.
    init(_ first: Node, at firstKey: UInt64, _ second: Node, at secondKey: UInt64) {
        shift = UInt8((63 - (firstKey ^ secondKey).leadingZeroBitCount) / 4 * 4)
        prefix = Self.prefix(of: firstKey, above: shift)
        digits = Self.bit(of: firstKey, at: shift) | Self.bit(of: secondKey, at: shift)
        children = firstKey < secondKey ? [first, second] : [second, first]
    }

    private static func prefix(of key: UInt64, above shift: UInt8) -> UInt64 {
        shift >= 60 ? 0 : (key >> (shift + 4)) << (shift + 4)
    }

    private static func bit(of key: UInt64, at shift: UInt8) -> UInt16 {
        1 << UInt16(truncatingIfNeeded: key >> shift & 15)
    }

    /// Whether a key belongs below this branch.
    func hasPrefix(of key: UInt64) -> Bool { Self.prefix(of: key, above: shift) == prefix }

    private func index(of bit: UInt16) -> Int { (digits & (bit - 1)).nonzeroBitCount }

    /// The child of a key's digit, whatever its other digits.
    func child(of key: UInt64) -> Node? {
        let bit = Self.bit(of: key, at: shift)
        return digits & bit == 0 ? nil : children[index(of: bit)]
    }

    mutating func update(_ value: Value, at key: UInt64) -> Bool {
        let bit = Self.bit(of: key, at: shift)
        let index = index(of: bit)
        guard digits & bit == 0 else { return children[index].update(value, at: key) }
        children.insert(.leaf(key, value), at: index)
        digits |= bit
        return true
    }

    mutating func remove(_ key: UInt64) -> Bool {
        let bit = Self.bit(of: key, at: shift)
        guard digits & bit != 0 else { return false }
        let index = index(of: bit)
        guard children[index].remove(key) else { return false }
        if case .empty = children[index] {
            children.remove(at: index)
            digits &= ~bit
        }
        return true
    }

    /// Whether the children are one and the same array.
    func isIdentical(to other: Self) -> Bool {
        unsafe children.withUnsafeBufferPointer { mine in
            unsafe other.children.withUnsafeBufferPointer { unsafe mine.baseAddress == $0.baseAddress }
        } && digits == other.digits && shift == other.shift && prefix == other.prefix
    }

    /// A key for each digit that is here or in another set.
    private func keys(with others: UInt16) -> some Sequence<UInt64> {
        let all = digits | others
        return (0..<16 as Range<UInt64>).lazy.filter { all & 1 << UInt16($0) != 0 }.map { [prefix, shift] in
            prefix | $0 << UInt64(shift)
        }
    }

    /// A key for each digit that is in this branch or in another one at its place.
    func keys(with other: Self) -> some Sequence<UInt64> { keys(with: other.digits) }

    /// A key for each digit that is in this branch or in a key below it.
    func keys(with key: UInt64) -> some Sequence<UInt64> { keys(with: Self.bit(of: key, at: shift)) }

    func haveSameDigit(_ first: UInt64, _ second: UInt64) -> Bool {
        Self.bit(of: first, at: shift) == Self.bit(of: second, at: shift)
    }
}
