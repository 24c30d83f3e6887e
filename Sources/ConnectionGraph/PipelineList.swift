// SPDX-License-Identifier: MIT

/// The pipelines of a graph, or of one port, as far as they can be counted.
///
/// *n* filters in pairs, each pair connected to the next one crosswise, have 2ⁿᐟ² paths. So the list is bounded: see
/// ``isComplete``.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct PipelineList: Sendable, Hashable, RandomAccessCollection {
    /// The largest number of pipelines in a list.
    public static let limit = 1024
    /// The number of ports in all pipelines of a list after which no further one is added.
    static let portLimit = 65_536

    /// Whether these are all pipelines. Otherwise there are more; those that begin at one port are left out only if
    /// each other port has as many, or none left.
    public let isComplete: Bool
    private let pipelines: [Pipeline]

    init(_ pipelines: [Pipeline], isComplete: Bool) {
        self.pipelines = pipelines
        self.isComplete = isComplete
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { pipelines.count }
    public subscript(index: Int) -> Pipeline { pipelines[index] }
}
