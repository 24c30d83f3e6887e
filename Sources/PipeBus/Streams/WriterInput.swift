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
    /// Whether the next frame is the first one at another rate of the graph.
    var isFirstAtRate = false
    /// Steers the converter, for an app with a clock of its own.
    private var clock: WriterClock?
    /// Whether any sound was taken, in this format and at this rate of the graph.
    private var hasSound = false
    /// Whether there was sound before.
    private var isContinuation = false
    /// Number of the graph's frames that come before the first one of the app's, and are not kept.
    private var skippedFrames = 0

    /// - Parameters:
    ///   - ownClockLatency: the latency of live sound, for an app with a clock of its own.
    ///   - gapFrames: number of the graph's frames in the gaps of the sound before.
    init(
        _ format: StreamFormat, memory: WriterMemory, graphRate: Int, ownClockLatency: Int?, gapFrames: Int = 0
    ) {
        self.format = format
        let settings = format.settings(
            portChannels: memory.channelCount, graphRate: graphRate, isAdjustable: ownClockLatency != nil)
        clock = ownClockLatency.map {
            WriterClock(
                appRate: Int(settings.clientRate), graphRate: Int(settings.graphRate), liveLatency: $0,
                gapFrames: gapFrames)
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

    /// Whether any sound was taken, also before.
    var hasBegun: Bool { @_noLocks get { hasSound || isContinuation } }

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

    /// Number of the graph's frames by which the sound that was taken is ahead of the next one in the ring.
    var lead: Double {
        @_noLocks get {
            guard let rate = format.sampleRate else { return 0 }
            return converter.lead * Double(graphRate) / Double(rate) - Double(skippedFrames)
        }
    }
    var isLocked: Bool { @_noLocks get { clock?.isLocked ?? true } }
    /// Number of the graph's frames in the gaps of a sound with a clock of its own.
    var gapFrames: Int { clock?.gapFrames ?? 0 }

    /// The app's time goes on by frames: those that are taken, and those that nobody hears.
    @_noLocks
    mutating func pass(_ frames: Int) { clock?.advance(frames) }

    /// When live sound was made that is written next.
    ///
    /// - Parameters:
    ///   - played: what the graph took last.
    ///   - position: of the next frame in the ring.
    ///   - time: when the first frame to be written was made, as the app says.
    ///   - call: the time of the call; now by default.
    @_noLocks
    mutating func stamp(
        _ played: PlayedMoment, at position: Int, _ time: MonotonicTime, called call: MonotonicTime? = nil
    ) -> WriterStamp {
        var stamp = WriterStamp()
        let lead = lead
        stamp.frame = position &+ Int(lead + 0.5)
        stamp.nanoseconds = time.nanoseconds
        // The frames before it have another length than they were made for, so it follows them early or late.
        stamp.isExact = isFirstAtRate
        isFirstAtRate = false
        guard var clock else { return stamp }
        let (nanoseconds, isAfterGap) = clock.step(
            played, writePosition: position, lead: lead, at: time, called: call)
        stamp.nanoseconds = nanoseconds
        if isAfterGap { stamp.isExact = true }
        stamp.gapFrames = clock.gapFrames
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
            var capacity = min(room, ring.value.writableFrames)
            if skippedFrames > 0 { capacity = min(capacity, skippedFrames) }
            if capacity <= 0 { break }
            let (consumed, produced) = unsafe converter.convert(
                planes.cells.pointer(at: 0), from: taken, frames: frameCount &- taken, into: rows, at: place,
                capacity: capacity)
            if skippedFrames > 0 { skippedFrames &-= produced } else { ring.value.commit(produced) }
            taken &+= consumed
            if consumed == 0 && produced == 0 { break }
        }
        if taken > offset { hasSound = true }
        return taken &- offset
    }

    // MARK: Changes of the format

    /// Gives what the resampler holds back: up to the end of the sound that was taken, rounded up to a frame.
    ///
    /// The resampler needs frames after that, so it is given those that would probably follow. Silence, or the last frame held, would
    /// be a step.
    ///
    /// - Returns: number of the graph's frames, and of those for which there was no room.
    @_noLocks
    mutating func giveRest(into ring: Cell<WriterRing>) -> (given: Int, dropped: Int) {
        guard hasSound, converter.isResampling else { return (0, 0) }
        // A sum of the resampler's is off by less than a billionth of a frame.
        let exact = lead - 1e-6
        var rest = max(0, Int(exact))
        if Double(rest) < exact { rest &+= 1 }
        converter.predict()
        var given = 0
        while given < rest {
            let (place, room) = ring.value.writePlace
            let most = skippedFrames > 0 ? skippedFrames : rest &- given
            let capacity = min(min(room, ring.value.freeFrames), most)
            if capacity <= 0 { break }
            let produced = unsafe converter.convertPrediction(into: rows, at: place, capacity: capacity)
            if produced == 0 { break }
            if skippedFrames > 0 {
                skippedFrames &-= produced
            } else {
                ring.value.commit(produced)
                given &+= produced
            }
        }
        return (given, rest &- given)
    }

    /// Takes another rate of the graph. What the resampler holds back is given at the old one, as all that is in the ring.
    ///
    /// - Returns: as ``giveRest(into:)``.
    @_noLocks
    mutating func follow(_ rate: Int, _ ring: Cell<WriterRing>) -> (given: Int, dropped: Int) {
        guard rate > 0, rate != graphRate else { return (0, 0) }
        let rest = giveRest(into: ring)
        if !converter.isResampling { remember(ring) }
        isContinuation = hasBegun
        hasSound = false
        graphRate = rate
        converter.setGraphRate(Double(rate))
        skippedFrames = 0
        clock?.follow(graphRate: rate, from: ring.value.writePosition)
        isFirstAtRate = true
        if isContinuation { begin() }
        return rest
    }

    /// The app's frames at the graph's rate went straight into the ring, and are still there.
    @_noLocks
    private mutating func remember(_ ring: Cell<WriterRing>) {
        guard hasSound else { return }
        let count = min(converter.historyLength, min(ring.value.writePosition, ring.value.capacity / 2))
        let start = (ring.value.writePosition &- count) & (ring.value.capacity &- 1)
        let first = min(count, ring.value.capacity &- start)
        unsafe converter.remember(rows, from: start, frames: first)
        unsafe converter.remember(rows, from: 0, frames: count &- first)
    }

    /// Goes on after sound of another format: the resampler begins as if what is in the ring had been written in this one.
    mutating func goOn(after ring: Cell<WriterRing>) {
        isContinuation = true
        guard let rate = format.sampleRate, converter.isResampling else { return }
        let ratio = Double(rate) / Double(graphRate)
        let interpolation = SincInterpolation(ratio: ratio)
        let wanted = Int(Double(converter.historyLength) / ratio) + interpolation.reach + 1
        // What was played is still there, but for the place of frames that were not kept.
        let length = min(wanted, min(ring.value.writePosition, ring.value.capacity / 2))
        let frames = min(converter.historyLength, Int(Double(length) * ratio))
        guard frames > 0 else { return }
        let end = ring.value.writePosition
        let signals = (0..<converter.map.signalCount).map { channel in
            extended(
                ((end - length)..<end).map { ring.value.sample(ofChannel: channel, at: $0) },
                by: interpolation.reach + 1)
        }
        let memory = OwnedCells<Float>(repeating: 0, count: signals.count * frames)
        for frame in 0..<frames {
            let time = Double(length) - Double(frames - frame) / ratio
            let (first, weights) = interpolation.weights(at: time, of: length + interpolation.reach + 1)
            for (channel, signal) in signals.enumerated() {
                let value = weights.indices.reduce(0) { $0 + weights[$1] * Double(signal[first + $1]) }
                memory.cells[channel * frames + frame] = Float(value)
            }
        }
        let table = unsafe OwnedCells<UnsafeMutablePointer<Float>?>(count: signals.count) {
            unsafe memory.cells.pointer(at: $0 * frames)
        }
        unsafe converter.remember(Rows(table.cells.pointer(at: 0)), from: 0, frames: frames)
        begin()
    }

    /// Fills the resampler with what went before.
    @_noLocks
    private mutating func begin() {
        guard let rate = format.sampleRate, converter.isResampling, converter.hasHistory else { return }
        // So many that the first frame is at the time of one of the graph's, if the rates have that within some.
        var frames = converter.delay &+ 1
        let period = rate / Self.commonDivisor(rate, graphRate)
        if period <= 1024 { frames = (frames &+ period &- 1) / period &* period }
        skippedFrames = frames &* graphRate / rate
        skippedFrames &-= converter.prime(frames: frames)
    }

    @_noLocks
    private static func commonDivisor(_ first: Int, _ second: Int) -> Int {
        var (larger, smaller) = (first, second)
        while smaller > 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger
    }
}
