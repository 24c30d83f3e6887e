// SPDX-License-Identifier: MIT

/// A queue of small values from one thread to another. Each arrives once and in order. All memory is allocated when the
/// queue is made.
///
/// Neither end waits for the other: a value that does not fit is not sent, and the writer gets that result.
///
/// ```swift
/// struct Note: BitwiseCopyable, Sendable { var pitch: UInt8, velocity: UInt8 }
///
/// let notes = EventQueue<Note>(minimumCapacity: 256)
/// let port = try await bus.sender("out", state: Synth(notes: notes.makeReader())) { synth, cycle, output in
///     while let note = synth.notes.tryReceive() { synth.play(note) }
///     synth.render(cycle, into: &output)
/// }
/// var keyboard = notes.makeWriter()
/// _ = keyboard.trySend(Note(pitch: 69, velocity: 100))
/// ```
///
/// - Thread: any.
/// - Realtime: unsafe; the ends are safe.
@safe public final class EventQueue<Event: BitwiseCopyable & Sendable>: @unchecked Sendable {
    // @unchecked: the pointers never change. `QueuePositions` hands over the memory behind them.
    fileprivate let positions: UnsafeMutablePointer<QueuePositions>
    fileprivate let slots: UnsafeMutablePointer<Event>
    private let claims = EndClaims()

    /// Creates an empty queue.
    ///
    /// - Parameter minimumCapacity: number of events, 1 or more; rounded up to a power of two.
    public init(minimumCapacity: Int) {
        unsafe positions = .allocate(capacity: 1)
        unsafe positions.initialize(to: QueuePositions(minimumCapacity: minimumCapacity))
        unsafe slots = .allocate(capacity: positions.pointee.capacity)
        // Written to, so that no page is first touched by the audio thread.
        let bytes = unsafe UnsafeMutableRawPointer(slots)
        unsafe bytes.initializeMemory(
            as: UInt8.self, repeating: 0, count: positions.pointee.capacity * MemoryLayout<Event>.stride)
    }

    deinit {
        unsafe positions.deinitialize(count: 1)
        unsafe positions.deallocate()
        unsafe slots.deallocate()
    }

    /// The largest number of events in the queue.
    public var capacity: Int { unsafe positions.pointee.capacity }

    /// Creates the writing end. A queue has one: a second call is a programming error and traps.
    public func makeWriter() -> Writer {
        claims.claimWriter()
        return Writer(self)
    }

    /// Creates the reading end. A queue has one: a second call is a programming error and traps.
    public func makeReader() -> Reader {
        claims.claimReader()
        return Reader(self)
    }
}

extension EventQueue {
    /// The writing end of an ``EventQueue``.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe.
    @safe public struct Writer: ~Copyable, @unchecked Sendable {
        // @unchecked: one thread uses it. The owner is only kept alive.
        private let owner: EventQueue
        @usableFromInline let positions: UnsafeMutablePointer<QueuePositions>
        @usableFromInline let slots: UnsafeMutablePointer<Event>

        fileprivate init(_ owner: EventQueue) {
            self.owner = owner
            unsafe positions = unsafe owner.positions
            unsafe slots = unsafe owner.slots
        }

        /// Number of events that fit now. It does not decrease until the next one is sent.
        @inlinable public var writableEvents: Int {
            @inline(always) get { unsafe positions.pointee.writableSlots() }
        }

        /// Sends an event, if there is room.
        ///
        /// - Returns: whether the event was sent.
        // Inlined in debug builds too: a generic function cannot run on the audio thread before it is specialised.
        @inlinable
        @inline(always)
        public mutating func trySend(_ event: Event) -> Bool {
            let slot = unsafe positions.pointee.slotToWrite()
            guard slot >= 0 else { return false }
            unsafe slots[slot] = event
            unsafe positions.pointee.commitWrite()
            return true
        }
    }

    /// The reading end of an ``EventQueue``.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe.
    @safe public struct Reader: ~Copyable, @unchecked Sendable {
        // @unchecked: as of the writer.
        private let owner: EventQueue
        @usableFromInline let positions: UnsafeMutablePointer<QueuePositions>
        @usableFromInline let slots: UnsafeMutablePointer<Event>

        fileprivate init(_ owner: EventQueue) {
            self.owner = owner
            unsafe positions = unsafe owner.positions
            unsafe slots = unsafe owner.slots
        }

        /// Removes and returns the oldest event; `nil` without one.
        @inlinable
        @inline(always)
        public mutating func tryReceive() -> Event? {
            let slot = unsafe positions.pointee.slotToRead()
            guard slot >= 0 else { return nil }
            let event = unsafe slots[slot]
            unsafe positions.pointee.commitRead()
            return event
        }
    }
}
