// SPDX-License-Identifier: MIT

/// The newest of a series of values from one thread to another. For values of any size.
///
/// The reader sees each value whole, and may miss some. It never sees an older value after a newer one.
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

    /// - Parameter initial: the value that is read before the first one is posted.
    public init(_ initial: Value) { buffer = TripleBuffer { _ in initial } }

    /// Creates the writing end. A mailbox has one: a second call is a programming error and traps.
    public func makeWriter() -> Writer {
        claims.claimWriter()
        return Writer(self)
    }

    /// Creates the reading end. A mailbox has one: a second call is a programming error and traps.
    public func makeReader() -> Reader {
        claims.claimReader()
        return Reader(self)
    }
}

extension Mailbox {
    /// The writing end of a ``Mailbox``.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe.
    @safe public struct Writer: ~Copyable, @unchecked Sendable {
        // @unchecked: one thread uses it. The owner is only kept alive.
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

    /// The reading end of a ``Mailbox``.
    ///
    /// - Thread: any, one at a time.
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

        /// The newest value, if it was posted since the last read; `nil` otherwise.
        @inlinable
        @inline(always)
        public mutating func tryReceive() -> Value? {
            end.take() ? end.value : nil
        }
    }
}
