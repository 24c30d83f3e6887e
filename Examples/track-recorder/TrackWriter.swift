// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import Synchronization
import ToolSupport

/// Writes the captured sound to files, on a thread of its own.
final class TrackWriter: Sendable {
    enum Destination: Sendable {
        case mixed(OutputFile)
        case separate(OutputFolder, SourceNames)

        var path: String {
            switch self {
            case .mixed(let file): file.path
            case .separate(let folder, _): folder.path
            }
        }

        /// Removes the files when there is nothing to write.
        func discard() {
            switch self {
            case .mixed(let file): file.discard()
            case .separate(let folder, _): folder.discard()
            }
        }
    }

    /// Options with other values in tests only.
    struct Options: Sendable {
        /// The longest time that a source's sound waits in the ring for the source's name.
        var nameTimeout = Duration.seconds(2)
        /// Number of frames that the capture holds of each lane; at most half as many wait here.
        var ringFrames = 1 << 18
        /// Number of samples that are kept in memory while files cannot be made.
        var heldSamples = MemoryBudget.standardCapacity
        /// The longest silence that a recording goes on over. A place beyond it is none that a clock can have reached.
        var longestSilence = Duration.seconds(24 * 3600)
        /// Whether anything is connected: otherwise no cycle says how the time passes.
        var isConnected: @Sendable () -> Bool = { true }
        /// Number of channels of the receiver.
        var width = 2
        /// Takes a sentence about an error of a file, on the writer's thread.
        var report: @Sendable (String) -> Void = { Terminal.complain($0, as: "track-recorder") }
    }

    private let progress: RecordingProgress
    private let destination: Destination
    private let format: SampleFormat
    private let fileFormat: FileFormat
    private let seconds: Double?
    private let options: Options
    private let over = Atomic<Bool>(false)
    private let isLast = Atomic<Bool>(false)
    private let isEnding = Atomic<Bool>(false)
    private let dropped = Atomic<Int>(0)

    /// - Parameter seconds: the length of the recording; `nil` for no limit.
    init(
        _ progress: RecordingProgress, into destination: Destination, format: SampleFormat,
        as fileFormat: FileFormat = .wav, seconds: Double?, _ options: Options = Options()
    ) {
        self.progress = progress
        self.destination = destination
        self.format = format
        self.fileFormat = fileFormat
        self.seconds = seconds
        self.options = options
    }

    /// Whether all requested sound is written, or no more can be.
    var isOver: Bool { over.load(ordering: .relaxed) }

    /// Number of frames that the disk was too slow for so far, of all sources.
    var droppedFrames: Int { dropped.load(ordering: .relaxed) }

    /// Ends the recording if it has not begun, and removes its empty file. The end of the client takes longer, and a second signal
    /// may cut it short.
    func endUnlessBegun() { isEnding.store(true, ordering: .relaxed) }

    /// Ends the recording. Sound already in the rings is still written.
    func end() { isLast.store(true, ordering: .releasing) }

    // Acquire: pairs with the release in `end`, so that the last samples are visible.
    private var hasEnded: Bool { isLast.load(ordering: .acquiring) }

    /// Writes until no more sound comes, and ends the files. Errors are in the figures.
    func run() -> RecordingFigures {
        defer { over.store(true, ordering: .relaxed) }
        guard waitForFirstCycle() else {
            destination.discard()
            return RecordingFigures(emptiness: progress.capture == nil ? .notPressed : .notConnected)
        }
        let sampleRate = progress.sampleRate
        let limit = seconds.map { Int(($0 * Double(sampleRate)).rounded()) } ?? .max
        let settings = TrackSettings(
            sampleRate: sampleRate, format: format, memory: MemoryBudget(capacity: options.heldSamples),
            report: options.report, fileFormat: fileFormat)
        let ringTime = Duration.seconds(Double(options.ringFrames) / Double(max(progress.graphRate, 1)) / 2)
        let tracks = TrackSet(
            destination, nameTimeout: min(options.nameTimeout, ringTime), settings: settings, start: progress.start,
            limit: limit)
        var figures = RecordingFigures(
            sampleRate: sampleRate, isClipping: format != .float32, start: progress.start)
        do {
            let end: Int64
            (figures.failure, end) = try fill(tracks, limit: limit)
            figures.frames = min(max(Track.distance(from: progress.start, to: end), 0), limit)
            try tracks.close(length: figures.frames)
            if progress.isArmed, tracks.tracks.isEmpty {
                destination.discard()
                figures.emptiness = .endedBeforeSound
            }
        } catch {
            tracks.abandon()
            figures.failure = error
            figures.frames = tracks.tracks.map(\.figures.frames).max() ?? 0
        }
        figures.tracks = tracks.tracks.map(\.figures)
        if figures.tracks.contains(where: \.hasLeftFile) { figures.frames = 0 }
        return figures
    }

    /// Waits for the first cycle; `false` if there never is one. A file cannot be started before, because its rate is
    /// the graph's.
    private func waitForFirstCycle() -> Bool {
        while true {
            let isLast = hasEnded || isEnding.load(ordering: .relaxed)
            if progress.sampleRate != 0 { return true }
            if isLast { return false }
            rest()
        }
    }

    /// - Returns: the reason of an early end, if there is one, and the place of the end.
    /// - Throws: ``ToolFailure`` if a file cannot grow.
    private func fill(_ tracks: TrackSet, limit: Int) throws -> (ToolFailure?, end: Int64) {
        var queue = BlockQueue(progress, limit: max(options.ringFrames / 2, 1))
        var pending: (failure: ToolFailure?, end: Int64)?
        var end = progress.start
        var passed = PassedTime()
        // Set only when nothing else can be written: then nothing is waited for any more.
        var isUrgent = false
        while true {
            // Read first: all sound from before the end is then found and written.
            let isLast = hasEnded
            let newRate = progress.newRate
            let isFull = limit < .max && Track.distance(from: progress.start, to: progress.reached) >= limit
            let place = passed.place(
                after: progress.end, isConnected: options.isConnected(), sampleRate: progress.sampleRate)
            let isTimeOver =
                limit < .max && progress.end > progress.start
                && Track.distance(from: progress.start, to: place) >= limit
            var isEmpty = !queue.fetch()
            for lane in queue.usedLanes {
                switch try drain(&queue, lane, into: tracks, limit: limit, isUrgent: isUrgent, &end) {
                case .all: break
                case .part: isEmpty = false
                case .tooFar:
                    for track in tracks.tracks { try track.flush() }
                    return (ToolFailure(tooFar), end)
                }
            }
            for track in tracks.tracks { try track.flush() }
            // More may have come, but it is the other lanes' turn.
            guard isEmpty else {
                if queue.isFull, tracks.isWaiting {
                    if isLast { isUrgent = true } else { rest() }
                }
                continue
            }
            try tracks.suspendUnused()
            if isLast || newRate != 0, tracks.isWaiting {
                isUrgent = true
                continue
            }
            if isLast, let pending { return (pending.failure, max(pending.end, end)) }
            var ending: (failure: ToolFailure?, end: Int64)?
            if newRate != 0 {
                // Sound of another rate has other places.
                ending = (changedRate(to: newRate), end)
            } else if isLast {
                // A resampler may round up, and all of its frames are in the files.
                return (nil, progress.ownRate == nil ? progress.end : max(progress.end, end))
            } else if isFull, !tracks.isWaiting {
                ending = (nil, progress.end)
            } else if isTimeOver, !options.isConnected(), !tracks.isWaiting {
                ending = (nil, place)
            }
            if let ending, progress.ownRate == nil { return ending }
            // A resampler still holds sound back, which comes when the port is closed.
            if let ending, pending == nil {
                pending = ending
                over.store(true, ordering: .relaxed)
            }
            rest()
        }
    }

    /// The result of draining a lane: empty for now, partly drained, or stopped before an impossible place.
    private enum DrainResult { case all, part, tooFar }

    /// Writes the sound of one lane.
    private func drain(
        _ queue: inout BlockQueue, _ lane: Int, into tracks: TrackSet, limit: Int, isUrgent: Bool,
        _ end: inout Int64
    ) throws -> DrainResult {
        var frames = 0
        while let block = queue.first(lane: lane) {
            guard Track.distance(from: progress.start, to: block.position) < limit else {
                // After the end of the recording.
                _ = queue.take(lane: lane)
                continue
            }
            guard !isBeforeBeginning(block, end) else {
                _ = queue.take(lane: lane)
                continue
            }
            guard Track.distance(from: end, to: block.position) <= longestSilence else { return .tooFar }
            guard let track = tracks.track(for: block, lane: lane, width: options.width, isUrgent: isUrgent) else {
                return .all
            }
            try track.add(block, queue.take(lane: lane), lane: lane)
            end = max(end, block.position &+ Int64(block.frameCount))
            dropped.add(block.droppedFrames, ordering: .relaxed)
            frames += block.frameCount
            if frames > 1 << 14 { return .part }
        }
        return .all
    }

    /// Whether a block is from before the start, and nothing has come from after it. It makes no file, since the recording may end before
    /// its first frame comes: only after a press are there such blocks.
    private func isBeforeBeginning(_ block: CapturedBlock, _ end: Int64) -> Bool {
        let start = progress.start
        guard progress.isArmed, end == start else { return false }
        return Track.distance(from: start, to: block.position) + block.frameCount <= 0
    }

    /// Number of frames.
    private var longestSilence: Int { Int(options.longestSilence / .seconds(1) * Double(progress.sampleRate)) }

    private var tooFar: String {
        "Nothing came for more than \(Int(options.longestSilence / .seconds(3600))) hours of the graph's time; the recording ends there, so start "
            + "another one."
    }

    private func changedRate(to newRate: Int) -> ToolFailure {
        let reason =
            progress.ownRate == nil
            ? "a file has one rate" : "the places of a recording are counted in one rate of the graph"
        return ToolFailure(
            "The graph went from \(progress.graphRate) to \(newRate) Hz, and \(reason); \(destination.path) ends there, so "
                + "record the rest into another one."
        )
    }

    /// Waits a fiftieth of a second. The audio thread cannot wake another thread, so this one polls.
    private func rest() { usleep(20_000) }
}
