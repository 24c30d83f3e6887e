// SPDX-License-Identifier: MIT

/// Hands the newest of a series of values from one writing thread to one reading thread, through three slots.
///
/// One slot is being written, one is being read, and one lies between. Neither thread waits.
///
/// - Thread: any.
/// - Realtime: unsafe; the ends are safe.
@safe @usableFromInline package struct TripleBuffer<Value: BitwiseCopyable>: ~Copyable {
    private let slots: OwnedCells<Value>
    private let exchange = OwnedCells(SlotExchange())

    /// - Parameter initial: the initial value of each of the three slots.
    package init(_ initial: (_ slot: Int) -> Value) { slots = OwnedCells(count: 3, initial) }

    /// Creates the writing end. Give it to one thread, and do not copy it: it holds the number of its slot.
    package func makeWriter() -> Writer { Writer(slots.cells, exchange.cell) }

    /// Creates the reading end. Give it to one thread, and do not copy it.
    package func makeReader() -> Reader { Reader(slots.cells, exchange.cell) }
}

extension TripleBuffer {
    /// The writing end of a ``TripleBuffer``. A view: the buffer must outlive it.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe.
    @usableFromInline package struct Writer: BitwiseCopyable {
        @usableFromInline let slots: Cells<Value>
        @usableFromInline let exchange: Cell<SlotExchange>
        @usableFromInline var slot = SlotExchange.firstWritten

        fileprivate init(_ slots: Cells<Value>, _ exchange: Cell<SlotExchange>) {
            self.slots = slots
            self.exchange = exchange
        }

        /// The slot that is being written. Each ``publish()`` replaces it by another one, whose content is older.
        @usableFromInline package var value: Value {
            @inlinable
            @inline(always)
            get { slots[slot] }

            @inlinable
            @inline(always)
            nonmutating set { slots[slot] = newValue }
        }

        /// Publishes the written slot.
        ///
        /// - Returns: whether the reader has taken the value that was published before, and may still use it. If it has
        ///   not taken it, it never will.
        @inlinable
        @inline(always)
        @discardableResult
        package mutating func publish() -> Bool {
            let (next, wasTaken) = exchange.value.replace(slot)
            slot = next
            return wasTaken
        }
    }

    /// The reading end of a ``TripleBuffer``. A view: the buffer must outlive it.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe.
    @usableFromInline package struct Reader: BitwiseCopyable {
        @usableFromInline let slots: Cells<Value>
        @usableFromInline let exchange: Cell<SlotExchange>
        @usableFromInline var slot = SlotExchange.firstRead

        fileprivate init(_ slots: Cells<Value>, _ exchange: Cell<SlotExchange>) {
            self.slots = slots
            self.exchange = exchange
        }

        /// The newest value that was taken; the initial one before that.
        @usableFromInline package var value: Value {
            @inlinable
            @inline(always)
            unsafeAddress { unsafe UnsafePointer(slots.pointer(at: slot)) }
        }

        /// Takes the newest value that was published.
        ///
        /// - Returns: whether it was published since the last call.
        @inlinable
        @inline(always)
        @discardableResult
        package mutating func take() -> Bool {
            let newest = exchange.value.take(slot)
            guard newest != slot else { return false }
            slot = newest
            return true
        }
    }
}
