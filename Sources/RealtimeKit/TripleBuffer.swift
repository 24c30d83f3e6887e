// SPDX-License-Identifier: MIT

/// Hands the newest of a series of values from one writing thread to one reading thread, through three slots: one is
/// being written, one is being read, and one lies between. Neither side ever waits.
///
/// - Thread: any.
/// - Realtime: unsafe; the ends are safe.
@safe @usableFromInline package struct TripleBuffer<Value: BitwiseCopyable>: ~Copyable {
    private let slots: OwnedCells<Value>
    private let exchange = OwnedCells(SlotExchange())

    /// - Parameter initial: what each of the three slots holds at first.
    package init(_ initial: (_ slot: Int) -> Value) { slots = OwnedCells(count: 3, initial) }

    /// The end that writes. Give it to one thread, and do not copy it: it knows which slot is its own.
    package func makeWriter() -> Writer { Writer(slots.cells, exchange.cell) }

    /// The end that reads. As with the one that writes, there is one.
    package func makeReader() -> Reader { Reader(slots.cells, exchange.cell) }
}

extension TripleBuffer {
    /// The end of a ``TripleBuffer`` that writes. A view: the buffer must outlive it.
    ///
    /// - Thread: one at a time.
    /// - Realtime: safe.
    @usableFromInline package struct Writer: BitwiseCopyable {
        @usableFromInline let slots: Cells<Value>
        @usableFromInline let exchange: Cell<SlotExchange>
        @usableFromInline var slot = SlotExchange.firstWritten

        fileprivate init(_ slots: Cells<Value>, _ exchange: Cell<SlotExchange>) {
            self.slots = slots
            self.exchange = exchange
        }

        /// The slot that is being written. After each ``publish()`` it is another one, which may hold anything older.
        @usableFromInline package var value: Value {
            @inlinable
            @inline(always)
            get { slots[slot] }

            @inlinable
            @inline(always)
            nonmutating set { slots[slot] = newValue }
        }

        /// Publishes what was written to the slot.
        ///
        /// - Returns: whether the reader has had what was published before, and may have it still. If not it never will.
        @inlinable
        @inline(always)
        @discardableResult
        package mutating func publish() -> Bool {
            let (next, wasTaken) = exchange.value.replace(slot)
            slot = next
            return wasTaken
        }
    }

    /// The end of a ``TripleBuffer`` that reads. A view, as the one that writes is.
    ///
    /// - Thread: one at a time.
    /// - Realtime: safe.
    @usableFromInline package struct Reader: BitwiseCopyable {
        @usableFromInline let slots: Cells<Value>
        @usableFromInline let exchange: Cell<SlotExchange>
        @usableFromInline var slot = SlotExchange.firstRead

        fileprivate init(_ slots: Cells<Value>, _ exchange: Cell<SlotExchange>) {
            self.slots = slots
            self.exchange = exchange
        }

        /// The newest value that was taken; before that, the initial one.
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
