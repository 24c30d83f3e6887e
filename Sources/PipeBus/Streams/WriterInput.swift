// SPDX-License-Identifier: MIT
import AudioConversion
import RealtimeKit

/// Converts what an app writes from its format into a ``WriterRing``.
///
/// - Thread: the writer's.
@safe struct WriterInput: ~Copyable {
    let format: StreamFormat
    let channelCount: Int
    let isFloat: Bool
    private let byteCount: Int
    private var converter: FormatConverter.FromClient
    private let planes: OwnedCells<UnsafeMutableRawPointer>
    private let planeCount: Int
    private let rows: Rows
    private var graphRate: Int
    /// What ``countUnheard(_:)`` has left over, in frames of the graph times the app's rate.
    private var unheardRest = 0
    /// Steers the converter, for an app with a clock of its own.
    private var clock: WriterClock?

    /// - Parameter ownClockLatency: the latency of live sound, for an app with a clock of its own.
    init(_ format: StreamFormat, memory: WriterMemory, graphRate: Int, ownClockLatency: Int?) {
        self.format = format
        let settings = format.settings(
            portChannels: memory.channelCount, graphRate: graphRate, isAdjustable: ownClockLatency != nil)
        clock = ownClockLatency.map {
            WriterClock(appRate: Int(settings.clientRate), graphRate: Int(settings.graphRate), liveLatency: $0)
        }
        channelCount = settings.layout.channelCount
        planeCount = settings.layout.planeCount
        isFloat = format.sample == .float32
        byteCount = format.sample.byteCount
        self.graphRate = Int(settings.graphRate)
        converter = FormatConverter.FromClient(settings)
        let nowhere = unsafe UnsafeMutableRawPointer(memory.rowTable[0]!)
        unsafe planes = unsafe OwnedCells(count: settings.layout.planeCount) { _ in unsafe nowhere }
        unsafe rows = unsafe memory.rowTable
    }

    /// Number of bytes of a frame in all channels.
    var bytesPerFrame: Int { @_noLocks get { byteCount &* channelCount } }

    /// The delay of the converter, in frames of the graph.
    var delay: Int { @_noLocks get { Int(converter.delayInSeconds * Double(graphRate) + 0.5) } }

    /// Number of the graph's frames that last as long as so many of the app's, rounded up.
    @_noLocks
    func toGraph(_ frames: Int) -> Int {
        guard let rate = format.sampleRate else { return frames }
        return (frames &* graphRate &+ rate &- 1) / rate
    }

    /// Number of the graph's frames in frames that nobody hears. Over many writes it is exact.
    @_noLocks
    mutating func countUnheard(_ frames: Int) -> Int {
        guard let rate = format.sampleRate else { return frames }
        let (count, rest) = (frames &* graphRate &+ unheardRest).quotientAndRemainder(dividingBy: rate)
        unheardRest = rest
        return count
    }

    /// Number of the app's frames that fit into so many of the graph's.
    @_noLocks
    func toClient(_ frames: Int) -> Int {
        guard let rate = format.sampleRate else { return frames }
        return frames &* rate / graphRate
    }

    /// Takes another rate of the graph.
    @_noLocks
    mutating func follow(_ rate: Int) {
        guard rate > 0, rate != graphRate else { return }
        graphRate = rate
        converter.setGraphRate(Double(rate))
        clock?.follow(graphRate: rate)
    }

    /// Number of the graph's frames by which the sound that was taken is ahead of the next one in the ring.
    private var lead: Double {
        @_noLocks get {
            guard let rate = format.sampleRate else { return 0 }
            return converter.lead * Double(graphRate) / Double(rate)
        }
    }
    var isLocked: Bool { @_noLocks get { clock?.isLocked ?? true } }

    /// Number of the app's frames with which a resampler gives all that it holds back: half of its filter, and its ringing.
    var heldFrames: Int { converter.isResampling ? 2 * converter.delay : 0 }

    /// The app's time goes on by frames: those that are taken, and those that nobody hears.
    @_noLocks
    mutating func pass(_ frames: Int) { clock?.advance(frames) }

    /// When live sound was made that is written next.
    ///
    /// - Parameters:
    ///   - played: what the graph took last.
    ///   - position: of the next frame in the ring.
    ///   - time: when the first frame to be written was made, as the app says.
    @_noLocks
    mutating func stamp(_ played: PlayedMoment, at position: Int, _ time: MonotonicTime) -> WriterStamp {
        var stamp = WriterStamp()
        let lead = lead
        stamp.frame = position &+ Int(lead + 0.5)
        stamp.nanoseconds = time.nanoseconds
        guard var clock else { return stamp }
        stamp.nanoseconds = clock.step(played, writePosition: position, lead: lead, at: time)
        self.clock = clock
        converter.adjustRate(by: clock.factor)
        return stamp
    }

    /// Converts as many frames as fit into the ring.
    ///
    /// - Parameters:
    ///   - memory: all channels of `frameCount` frames.
    ///   - frameCount: 1 or more.
    ///   - offset: number of frames that were taken before.
    /// - Returns: number of the app's frames that were taken.
    @_noLocks
    mutating func write(
        _ memory: UnsafeRawPointer, _ frameCount: Int, from offset: Int = 0, into ring: Cell<WriterRing>
    ) -> Int {
        for plane in 0..<planeCount {
            // Only read from, although the converter's type does not say so.
            unsafe planes.cells[plane] =
                unsafe UnsafeMutableRawPointer(mutating: memory) + plane &* frameCount &* byteCount
        }
        var taken = offset
        while taken < frameCount {
            let (place, room) = ring.value.writePlace
            let capacity = min(room, ring.value.writableFrames)
            if capacity <= 0 { break }
            let (consumed, produced) = unsafe converter.convert(
                planes.cells.pointer(at: 0), from: taken, frames: frameCount &- taken, into: rows, at: place,
                capacity: capacity)
            ring.value.commit(produced)
            taken &+= consumed
            if consumed == 0 && produced == 0 { break }
        }
        return taken &- offset
    }
}
