// SPDX-License-Identifier: MIT

/// The data that the app publishes. Confined to the loop.
final class DeclaredData {
    private(set) var values: [String: [UInt8]] = [:]
    private var sum = 0

    /// - Throws: ``PipeBusError`` `invalidArgument` for a bad key, or beyond a limit.
    func set(_ bytes: [UInt8], forKey key: String) throws {
        try PublishedData.check(key: key)
        guard bytes.count <= PublishedData.longestValue else {
            throw PipeBusError(
                .invalidArgument,
                "The data for \"\(key)\" has \(bytes.count) bytes; at most \(PublishedData.longestValue) (4 MiB) can be published "
                    + "under one key.")
        }
        let newSum = sum - (values[key]?.count ?? 0) + bytes.count
        guard newSum <= PublishedData.largestSum else {
            throw PipeBusError(
                .invalidArgument,
                "This app would publish \(newSum) bytes in all; at most \(PublishedData.largestSum) (64 MiB) are allowed. Unpublish a key "
                    + "first.")
        }
        guard values[key] != nil || values.count < PublishedData.mostKeys else {
            throw PipeBusError(
                .invalidArgument,
                "This app publishes \(PublishedData.mostKeys) keys already, which is the most; unpublish one first.")
        }
        sum = newSum
        values[key] = bytes
    }

    func remove(_ key: String) { sum -= values.removeValue(forKey: key)?.count ?? 0 }

    func removeAll() { (values, sum) = ([:], 0) }
}
