// SPDX-License-Identifier: MIT

/// Holds the newest of a series of values from one thread to another. The reader sees each value whole, and may miss
/// some; it never sees an older one than before. For values of any size.
///
/// ```swift
/// struct Analysis: BitwiseCopyable, Sendable { var loudness: Float, pitch: Float }
///
/// let analysis = Mailbox(Analysis(loudness: 0, pitch: 0))
/// let input = try await bus.receiver("in", state: Tuner(result: analysis.makeWriter())) { tuner, _, mix in
///     tuner.result.post(tuner.analyse(mix))
/// }
/// var newest = analysis.makeReader()
/// show(newest.read())
/// ```
///
/// - Thread: any.
/// - Realtime: unsafe; the ends are safe.
@safe public final class Mailbox<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
    // @unchecked: the buffer gives each end a slot of its own.
    fileprivate let buffer: TripleBuffer<Value>
    private let claims = EndClaims()

    /// - Parameter initial: what is read before anything is posted.
    public init(_ initial: Value) { buffer = TripleBuffer { _ in initial } }

    /// The end that posts. There is one: a second call is a programming error and traps.
    public func makeWriter() -> Writer {
        claims.claimWriter()
        return Writer(self)
    }

    /// The end that reads. There is one: a second call is a programming error and traps.
    public func makeReader() -> Reader {
        claims.claimReader()
        return Reader(self)
    }
}

extension Mailbox {
    /// The end of a ``Mailbox`` that posts.
    ///
    /// - Thread: one at a time.
    /// - Realtime: safe.
    @safe public struct Writer: ~Copyable, @unchecked Sendable {
        // @unchecked: one thread has it. The owner is only kept alive.
        private let owner: Mailbox
        @usableFromInline var end: TripleBuffer<Value>.Writer

        fileprivate init(_ owner: Mailbox) {
            self.owner = owner
            end = owner.buffer.makeWriter()
        }

        /// Replaces the value.
        // Inlined in debug builds too: a generic function cannot run on the audio thread before it is specialised.
        @inlinable
        @inline(always)
        public mutating func post(_ value: Value) {
            end.value = value
            end.publish()
        }
    }

    /// The end of a ``Mailbox`` that reads.
    ///
    /// - Thread: one at a time.
    /// - Realtime: safe.
    @safe public struct Reader: ~Copyable, @unchecked Sendable {
        // @unchecked: as of the writer.
        private let owner: Mailbox
        @usableFromInline var end: TripleBuffer<Value>.Reader

        fileprivate init(_ owner: Mailbox) {
            self.owner = owner
            end = owner.buffer.makeReader()
        }

        /// The newest value.
        @inlinable
        @inline(always)
        public mutating func read() -> Value {
            end.take()
            return end.value
        }

        /// The newest value, if it was posted since the last read.
        @inlinable
        @inline(always)
        public mutating func tryReceive() -> Value? {
            end.take() ? end.value : nil
        }
    }
}
