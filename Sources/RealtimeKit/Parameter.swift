// SPDX-License-Identifier: MIT

/// A value that any thread sets and a process block reads: a volume, a frequency, a switch.
///
/// Any number of threads may set it, and the newest value counts. Numbers can be ramped, so that a change does not
/// click.
///
/// ```swift
/// let volume = Parameter(Float(0.5))
/// let port = try await bus.inPlaceFilter(
///     "volume", state: volume.makeReader(rampedOver: .milliseconds(20))
/// ) { volume, cycle, channels in
///     let gain = volume.ramp(over: cycle)  // with PipeBus: from one frame to the next
///     for channel in 0..<channels.count {
///         var samples = channels[channel]
///         for frame in samples.indices { samples[frame] *= gain[frame] }
///     }
/// }
/// volume.value = 0.8
/// ```
///
/// - Thread: any.
/// - Realtime: unsafe: a parameter is an object, and calling one may retain it. The readers are safe.
@safe public final class Parameter<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
    // @unchecked: the pointer never changes, and the memory behind it is atomic.
    fileprivate let cell: UnsafeMutablePointer<ParameterCell>

    /// - Parameter initial: of a type of at most 8 bytes. A larger type is a programming error and traps; ``Mailbox``
    ///   takes values of any size.
    public init(_ initial: Value) {
        precondition(MemoryLayout<Value>.size <= 8, "a parameter has at most 8 bytes; use a Mailbox")
        unsafe cell = .allocate(capacity: 1)
        unsafe cell.initialize(to: ParameterCell(ParameterCell.encode(initial)))
    }

    deinit {
        unsafe cell.deinitialize(count: 1)
        unsafe cell.deallocate()
    }

    /// The newest value. A read, change and write is not atomic: another thread may set the value in between.
    public var value: Value {
        get { unsafe ParameterCell.decode(cell.pointee.load()) }
        set { unsafe cell.pointee.store(ParameterCell.encode(newValue)) }
    }

    /// Creates a reading end for a process block. A parameter can have any number.
    public func makeReader() -> Reader { Reader(self) }

    /// Reads a ``Parameter`` on the audio thread.
    ///
    /// - Thread: any, one at a time.
    /// - Realtime: safe.
    @safe public struct Reader: ~Copyable, @unchecked Sendable {
        // @unchecked: the memory behind the pointer is atomic. The owner is only kept alive.
        private let owner: Parameter
        @usableFromInline let cell: UnsafeMutablePointer<ParameterCell>

        fileprivate init(_ owner: Parameter) {
            self.owner = owner
            unsafe cell = unsafe owner.cell
        }

        /// The newest value. It may differ at each call: a block that needs it more than once keeps a copy.
        public var value: Value {
            // Inlined in debug builds too: a generic function cannot run on the audio thread before it is specialised.
            @inlinable
            @inline(always)
            get { unsafe ParameterCell.decode(cell.pointee.load()) }
        }
    }
}
