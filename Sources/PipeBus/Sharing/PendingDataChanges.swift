// SPDX-License-Identifier: MIT

/// The changes of an app's data that a reader has not taken yet: at most one for each key. Pure.
struct PendingDataChanges {
    /// The largest sum of the values, in bytes. Beyond it the oldest are left out.
    let largestSum: Int
    private var order: [String] = []
    private var changes: [String: PublishedDataChange] = [:]
    private var sum = 0

    init(largestSum: Int = PublishedData.largestSum) { self.largestSum = largestSum }

    var isEmpty: Bool { order.isEmpty }

    /// Adds a change, or merges it with the one of its key that waits. Then the key keeps its place.
    mutating func add(_ kind: PublishedDataChange.Kind, _ key: String, _ bytes: [UInt8]?) {
        guard let earlier = changes[key] else {
            order.append(key)
            return set(key, kind, bytes)
        }
        switch (earlier.kind, kind) {
        case (.added, .removed):
            // The reader has never seen it.
            take(key)
            order.removeAll { $0 == key }
        case (.added, _): set(key, .added, bytes)
        case (_, .removed): set(key, .removed, nil)
        default: set(key, .replaced, bytes)
        }
    }

    private mutating func set(_ key: String, _ kind: PublishedDataChange.Kind, _ bytes: [UInt8]?) {
        take(key)
        changes[key] = PublishedDataChange(key: key, kind: kind, bytes: bytes)
        sum += bytes?.count ?? 0
        for key in order where sum > largestSum {
            guard let large = changes[key], let bytes = large.bytes else { continue }
            sum -= bytes.count
            changes[key] = PublishedDataChange(key: key, kind: large.kind, bytes: nil)
        }
    }

    @discardableResult
    private mutating func take(_ key: String) -> PublishedDataChange? {
        guard let change = changes.removeValue(forKey: key) else { return nil }
        sum -= change.bytes?.count ?? 0
        return change
    }

    /// The oldest change.
    mutating func takeFirst() -> PublishedDataChange? {
        guard let key = order.first else { return nil }
        order.removeFirst()
        return take(key)
    }
}
