// SPDX-License-Identifier: MIT

/// A figure of ours that has no peer, printed as a line of JSON.
public struct Figure {
    private let name: String
    private let unit: String
    private let value: Double
    private let aim: Double?

    /// - Parameter aim: the most that the value should be; `nil` if none is set.
    public init(_ name: String, _ value: Double, _ unit: String, aim: Double? = nil) {
        self.name = name
        self.unit = unit
        self.value = value
        self.aim = aim
    }

    public func report() {
        let end = aim.map { ", \"aim\": \($0)" } ?? ""
        print("{\"name\": \"\(name)\", \"unit\": \"\(unit)\", \"value\": \(value)\(end)}")
    }
}
