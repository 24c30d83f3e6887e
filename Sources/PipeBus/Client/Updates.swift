// SPDX-License-Identifier: MIT

/// A sequence of values that an app observes.
///
/// ```swift
/// for await changes in port.sourceUpdates { show(changes.sources) }
/// ```
///
/// Every loop over a sequence is a reader of its own. Unless the property says otherwise, values for a busy reader are
/// coalesced: the newest wins. The sequence ends when the port or the client is closed, and when the task is cancelled.
///
/// - Thread: any.
/// - Realtime: unsafe.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let makeProducer: @Sendable () -> () async -> Element?

    /// - Parameter makeProducer: makes the function that returns one reader's next element; `nil` ends the sequence.
    init(_ makeProducer: @escaping @Sendable () -> () async -> Element?) { self.makeProducer = makeProducer }

    /// - Parameter subscribe: makes the stream of one reader, when the reader asks for its first element.
    init(subscribe: @escaping @Sendable () async -> AsyncStream<Element>) {
        self.init {
            var elements: AsyncStream<Element>.Iterator?
            return {
                if elements == nil { elements = await subscribe().makeAsyncIterator() }
                return await elements?.next(isolation: #isolation)
            }
        }
    }

    /// The elements of one reader.
    ///
    /// - Thread: that of the task that reads.
    /// - Realtime: unsafe.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let produce: () async -> Element?

        fileprivate init(_ produce: @escaping () async -> Element?) { self.produce = produce }

        /// Waits for the next element; `nil` after the end.
        public mutating func next() async -> Element? { await produce() }
    }

    /// Begins a new reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(makeProducer()) }
}
