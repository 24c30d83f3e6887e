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
    // @unchecked: the pointers never change; the exchange deals the slots out.
    fileprivate let exchange: UnsafeMutablePointer<SlotExchange>
    fileprivate let slots: UnsafeMutablePointer<Value>
    private let claims = EndClaims()

    /// - Parameter initial: what is read before anything is posted.
    public init(_ initial: Value) {
        unsafe exchange = .allocate(capacity: 1)
        unsafe exchange.initialize(to: SlotExchange())
        unsafe slots = .allocate(capacity: 3)
        unsafe slots.initialize(repeating: initial, count: 3)
    }

    deinit {
        unsafe exchange.deinitialize(count: 1)
        unsafe exchange.deallocate()
        unsafe slots.deallocate()
    }

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
        @usableFromInline let exchange: UnsafeMutablePointer<SlotExchange>
        @usableFromInline let slots: UnsafeMutablePointer<Value>
        @usableFromInline var slot = SlotExchange.firstWritten

        fileprivate init(_ owner: Mailbox) {
            self.owner = owner
            unsafe exchange = unsafe owner.exchange
            unsafe slots = unsafe owner.slots
        }

        /// Replaces the value.
        // Inlined in debug builds too: a generic function cannot run on the audio thread before it is specialised.
        @inlinable
        @inline(always)
        public mutating func post(_ value: Value) {
            unsafe slots[slot] = value
            slot = unsafe exchange.pointee.publish(slot)
        }
    }

    /// The end of a ``Mailbox`` that reads.
    ///
    /// - Thread: one at a time.
    /// - Realtime: safe.
    @safe public struct Reader: ~Copyable, @unchecked Sendable {
        // @unchecked: as of the writer.
        private let owner: Mailbox
        @usableFromInline let exchange: UnsafeMutablePointer<SlotExchange>
        @usableFromInline let slots: UnsafeMutablePointer<Value>
        @usableFromInline var slot = SlotExchange.firstRead

        fileprivate init(_ owner: Mailbox) {
            self.owner = owner
            unsafe exchange = unsafe owner.exchange
            unsafe slots = unsafe owner.slots
        }

        /// The newest value.
        @inlinable
        @inline(always)
        public mutating func read() -> Value {
            slot = unsafe exchange.pointee.take(slot)
            return unsafe slots[slot]
        }

        /// The newest value, if it was posted since the last read.
        @inlinable
        @inline(always)
        public mutating func tryReceive() -> Value? {
            let newest = unsafe exchange.pointee.take(slot)
            guard newest != slot else { return nil }
            slot = newest
            return unsafe slots[slot]
        }
    }
}
