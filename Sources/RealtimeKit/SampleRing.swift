// SPDX-License-Identifier: MIT
import Synchronization

/// A ring of samples from one thread to another, in whole frames. All memory is allocated when the ring is made.
///
/// Neither end waits for the other: samples that do not fit are not written, and the writer gets that result.
///
/// Make one ``Writer`` and one ``Reader``. Give one of them to a process block as its state or as a part of it, and
/// keep the other.
///
/// ```swift
/// let ring = SampleRing(channelCount: 2, minimumCapacity: 48_000)
/// let input = try await bus.receiver("in", state: ring.makeWriter()) { writer, _, mix in
///     _ = writer.tryWrite(mix.channels)  // with PipeBus: all channels of a cycle
/// }
/// var reader = ring.makeReader()
/// var samples = [Float](repeating: 0, count: 2 * 1024)
/// var span = samples.mutableSpan
/// let frames = reader.read(into: &span)  // left, right, left, right, …
/// ```
///
/// - Thread: any.
/// - Realtime: unsafe; the ends are safe.
@safe public final class SampleRing: @unchecked Sendable {
    // @unchecked: the pointer never changes, and the core is made for two threads.
    let core: UnsafeMutablePointer<SampleRingCore>
    private let claims = EndClaims()

    /// Creates an empty ring.
    ///
    /// - Parameters:
    ///   - channelCount: 1 or more.
    ///   - minimumCapacity: number of frames, 1 or more; rounded up to a power of two.
    public init(channelCount: Int, minimumCapacity: Int) {
        unsafe core = .allocate(capacity: 1)
        unsafe core.initialize(to: SampleRingCore(channelCount: channelCount, minimumCapacity: minimumCapacity))
    }

    deinit {
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
    }

    /// Number of samples in a frame.
    public var channelCount: Int { unsafe core.pointee.channelCount }
    /// The largest number of frames in the ring.
    public var capacity: Int { unsafe core.pointee.capacity }

    /// Creates the writing end. A ring has one: a second call is a programming error and traps.
    public func makeWriter() -> Writer {
        claims.claimWriter()
        return Writer(self)
    }

    /// Creates the reading end. A ring has one: a second call is a programming error and traps.
    public func makeReader() -> Reader {
        claims.claimReader()
        return Reader(self)
    }
}
