// SPDX-License-Identifier: MIT
import Synchronization

/// A ring of samples from one thread to another, in whole frames. All memory is allocated when it is made.
///
/// Neither end waits for the other: what does not fit is not written, and the writer learns that. Make one ``Writer`` and
/// one ``Reader``, give one of them to a process block as its state or as a part of it, and keep the other.
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
    // @unchecked: the pointer never changes, and what it leads to is made for two threads.
    let core: UnsafeMutablePointer<SampleRingCore>
    private let claims = EndClaims()

    /// Makes an empty ring.
    ///
    /// - Parameters:
    ///   - channelCount: 1 or more.
    ///   - minimumCapacity: in frames, 1 or more; rounded up to a power of two.
    public init(channelCount: Int, minimumCapacity: Int) {
        unsafe core = .allocate(capacity: 1)
        unsafe core.initialize(to: SampleRingCore(channelCount: channelCount, minimumCapacity: minimumCapacity))
    }

    deinit {
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
    }

    /// Samples in a frame.
    public var channelCount: Int { unsafe core.pointee.channelCount }
    /// In frames.
    public var capacity: Int { unsafe core.pointee.capacity }

    /// The end that writes. There is one: a second call is a programming error and traps.
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
