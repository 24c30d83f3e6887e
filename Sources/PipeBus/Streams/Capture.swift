// SPDX-License-Identifier: MIT
import Synchronization

/// Carries a receiver's sound to a thread that may wait, such as one that writes a file: what came, exactly and without a
/// loss, each block with the time at which it was made.
///
/// ```swift
/// let capture = try await bus.capture("in")
/// for await block in capture { analyse(block[0], at: block.timestamp) }
/// ```
///
/// A receiver's mix comes as one series of blocks. The sources of a ``BusClient/separateCapture(_:title:channels:lanes:alignment:fade:isMonitoring:keepsRunning:after:minimumCapacity:)``
/// come in blocks of their own, each with its ``CaptureBlock/lane``, in the order of the cycles. Nothing is filled in: where
/// nothing came there is no block, and the next one says what was missed. A time that PipeWire gives twice comes twice.
///
/// While nothing reads, sound is kept up to the capture's capacity. What comes then is dropped, and counted by the next block
/// of its source.
///
/// The capture ends when it is released. Its sequence ends when the port is closed; a restart of the daemon does not end it.
///
/// - Thread: any. A lock lets one thread read at a time.
/// - Realtime: unsafe; the audio thread does not take the lock.
public final class Capture: Sendable {
    /// The largest number of frames of a block.
    public static let maximumFrameCount = AudioCycle.maximumFrameCount

    private let table: StreamTable
    /// `nil` for a stream without a port, which the tests of what reads one fill themselves.
    private let receiver: ReceiverPort?
    private let memory: StreamMemory
    private let reader: Mutex<CaptureReader>

    init(_ memory: StreamMemory, of table: StreamTable, port: ReceiverPort?, format: StreamFormat = .float32) {
        self.memory = memory
        self.table = table
        receiver = port
        reader = Mutex(CaptureReader(memory, format: format))
    }

    deinit { table.remove(memory) }

    /// The receiver.
    public var port: ReceiverPort {
        guard let receiver else { preconditionFailure("a stream without a port") }
        return receiver
    }

    /// The form of the samples of the next block.
    public var format: StreamFormat { reader.withLock { $0.format } }

    /// Changes the form of the samples that are read from now on. What a resampler holds back is still read in the old one, up to a
    /// whole frame, and the next one begins as if it had always run, so that the sound goes on.
    ///
    /// - Throws: ``PipeBusError`` `invalidArgument`.
    public func setFormat(_ format: StreamFormat) throws {
        try format.check()
        reader.withLock { $0.format = format }
    }

    /// Removes and returns the oldest block.
    ///
    /// - Parameter frameCount: the largest number of frames, 1 or more, in the format's rate. The rest of a longer block is the next one.
    /// - Returns: `nil` if nothing has come since, or the port is closed and all is read; see ``isAtEnd``.
    public func read(upTo frameCount: Int = maximumFrameCount) -> CaptureBlock? {
        precondition(frameCount > 0, "a block has a frame or more")
        return reader.withLock { $0.read(upTo: frameCount) }
    }

    /// Whether the port is closed and every block was read.
    public var isAtEnd: Bool { reader.withLock { $0.isAtEnd } }

    /// How far the sound has come; `nil` before the first cycle with a source.
    public var progress: CaptureProgress? { reader.withLock { $0.progress } }
}

extension Capture: AsyncSequence {
    public typealias Failure = Never

    /// Reads the blocks of a ``Capture``. Several of them share its blocks.
    ///
    /// - Thread: that of the task that reads.
    /// - Realtime: unsafe.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let capture: Capture

        /// Waits for the next block; `nil` after the last one of a closed port, or when the task is cancelled.
        public mutating func next() async -> CaptureBlock? {
            while !Task.isCancelled {
                if let block = capture.read() { return block }
                if capture.isAtEnd { return nil }
                // The audio thread wakes no other thread, which would take a system call.
                try? await Task.sleep(for: .milliseconds(10))
            }
            return nil
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(capture: self) }
}
