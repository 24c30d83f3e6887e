// SPDX-License-Identifier: MIT

/// A queue of small values from one thread to another, each of which arrives once and in order. All memory is allocated
/// when it is made.
///
/// Neither end waits for the other: an event that does not fit is not sent, and the sender learns that.
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
    // @unchecked: the pointers never change; what they lead to is handed over by `QueuePositions`.
    fileprivate let positions: UnsafeMutablePointer<QueuePositions>
    fileprivate let slots: UnsafeMutablePointer<Event>
    private let claims = EndClaims()

    /// Makes an empty queue.
    ///
    /// - Parameter minimumCapacity: in events, 1 or more; rounded up to a power of two.
    public init(minimumCapacity: Int) {
        unsafe positions = .allocate(capacity: 1)
        unsafe positions.initialize(to: QueuePositions(minimumCapacity: minimumCapacity))
        unsafe slots = .allocate(capacity: positions.pointee.capacity)
        // Written to, so that the audio thread is the first on no page.
        let bytes = unsafe UnsafeMutableRawPointer(slots)
        unsafe bytes.initializeMemory(
            as: UInt8.self, repeating: 0, count: positions.pointee.capacity * MemoryLayout<Event>.stride)
    }

    deinit {
        unsafe positions.deinitialize(count: 1)
        unsafe positions.deallocate()
        unsafe slots.deallocate()
    }

    /// In events.
    public var capacity: Int { unsafe positions.pointee.capacity }

    /// The end that sends. There is one: a second call is a programming error and traps.
    public func makeWriter() -> Writer {
        claims.claimWriter()
        return Writer(self)
    }

    /// The end that receives. There is one: a second call is a programming error and traps.
    public func makeReader() -> Reader {
        claims.claimReader()
        return Reader(self)
    }
}

extension EventQueue {
    /// The end of an ``EventQueue`` that sends.
    ///
    /// - Thread: one at a time.
    /// - Realtime: safe.
    @safe public struct Writer: ~Copyable, @unchecked Sendable {
        // @unchecked: one thread has it. The owner is only kept alive.
        private let owner: EventQueue
        @usableFromInline let positions: UnsafeMutablePointer<QueuePositions>
        @usableFromInline let slots: UnsafeMutablePointer<Event>

        fileprivate init(_ owner: EventQueue) {
            self.owner = owner
            unsafe positions = unsafe owner.positions
            unsafe slots = unsafe owner.slots
        }

        /// Events that there is room for; it only grows until the next one is sent.
        @inlinable public var writableEvents: Int {
            @inline(always) get { unsafe positions.pointee.writableSlots() }
        }

        /// Sends an event, if there is room.
        ///
        /// - Returns: whether there was.
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

    /// The end of an ``EventQueue`` that receives.
    ///
    /// - Thread: one at a time.
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

        /// Takes the oldest event, if there is one.
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
