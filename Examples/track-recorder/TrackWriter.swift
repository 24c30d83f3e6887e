// SPDX-License-Identifier: MIT
import Glibc
import Synchronization
import ToolSupport

/// Takes what was captured and writes it to files, on a thread of its own.
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

        /// For when nothing is to be written.
        func discard() {
            switch self {
            case .mixed(let file): file.discard()
            case .separate(let folder, _): folder.discard()
            }
        }
    }

    /// What only tests have otherwise.
    struct Options: Sendable {
        /// How long a source's sound waits in the ring at most until it is known who it is.
        var patience = Duration.seconds(2)
        /// Frames that each lane of the ring holds; no more than half of them wait.
        var ringFrames = 1 << 18
        /// Samples that are kept in memory while files cannot be made.
        var heldSamples = HoldingRoom.standardCapacity
        /// Is given a sentence about what is wrong with a file, on the writer's thread.
        var report: @Sendable (String) -> Void = { Terminal.complain($0, as: "track-recorder") }
    }

    private let capture: Capture
    private let course: Course
    private let destination: Destination
    private let format: SampleFormat
    private let seconds: Double?
    private let options: Options
    private let over = Atomic<Bool>(false)
    private let isLast = Atomic<Bool>(false)
    private let dropped = Atomic<Int>(0)

    /// - Parameter seconds: where it ends; `nil` if nowhere.
    init(
        _ capture: Capture, _ course: Course, into destination: Destination, format: SampleFormat, seconds: Double?,
        _ options: Options = Options()
    ) {
        self.capture = capture
        self.course = course
        self.destination = destination
        self.format = format
        self.seconds = seconds
        self.options = options
    }

    /// All that was wanted is written, or nothing more can be.
    var isOver: Bool { over.load(ordering: .relaxed) }

    /// Frames that the disk was too slow for, of all sources, so far.
    var droppedFrames: Int { dropped.load(ordering: .relaxed) }

    /// Says that nothing more comes than what is on its way.
    func end() { isLast.store(true, ordering: .releasing) }

    // Acquire: pairs with the release in `end`, so that the last samples are seen.
    private var hasEnded: Bool { isLast.load(ordering: .acquiring) }

    /// Writes until nothing more comes, and ends the files. What goes wrong is in the figures.
    func run() -> RecordingFigures {
        defer { over.store(true, ordering: .relaxed) }
        guard waitForFirstCycle() else {
            destination.discard()
            return RecordingFigures()
        }
        let sampleRate = course.sampleRate
        let limit = seconds.map { Int(($0 * Double(sampleRate)).rounded()) } ?? .max
        let settings = TrackSettings(
            sampleRate: sampleRate, format: format, room: HoldingRoom(capacity: options.heldSamples),
            report: options.report)
        let ringTime = Duration.seconds(Double(options.ringFrames) / Double(max(sampleRate, 1)) / 2)
        let tracks = TrackSet(
            destination, patience: min(options.patience, ringTime), settings: settings, start: course.start,
            limit: limit)
        var figures = RecordingFigures(sampleRate: sampleRate, start: course.start)
        do {
            let end: Int64
            (figures.failure, end) = try fill(tracks, limit: limit)
            figures.frames = min(max(Track.distance(from: course.start, to: end), 0), limit)
            try tracks.close(length: figures.frames)
        } catch {
            tracks.abandon()
            figures.failure = error
            figures.frames = tracks.tracks.map(\.figures.frames).max() ?? 0
        }
        figures.tracks = tracks.tracks.map(\.figures)
        return figures
    }

    /// `false` if there never is one. A file cannot be begun before: its rate is the graph's.
    private func waitForFirstCycle() -> Bool {
        while true {
            let isLast = hasEnded
            if course.sampleRate != 0 { return true }
            if isLast { return false }
            rest()
        }
    }

    /// - Returns: why it ends before its time, if it does, and where it ends.
    /// - Throws: ``ToolFailure`` if a file can take no more.
    private func fill(_ tracks: TrackSet, limit: Int) throws -> (ToolFailure?, end: Int64) {
        var reader = Capture.Reader(capture)
        var end = course.start
        // Only when all else is written: then nobody is waited for any more.
        var isUrgent = false
        while true {
            // All asked first: what came before the answer is found, then, and written.
            let isLast = hasEnded
            let newRate = course.newRate
            let isFull = limit < .max && Track.distance(from: course.start, to: course.reached) >= limit
            var isEmpty = true
            for lane in 0..<capture.laneCount {
                switch try drain(&reader, lane, into: tracks, limit: limit, isUrgent: isUrgent, &end) {
                case .all: break
                case .part: isEmpty = false
                case .tooFar:
                    for track in tracks.tracks { try track.flush() }
                    return (ToolFailure(Self.hour), end)
                }
            }
            for track in tracks.tracks { try track.flush() }
            // More may have come, but it is the others' turn.
            guard isEmpty else { continue }
            try tracks.suspendUnused()
            if isLast || newRate != 0, tracks.isWaiting {
                isUrgent = true
                continue
            }
            if newRate != 0 || isLast {
                try addRests(reader, to: tracks)
                return (newRate != 0 ? changedRate(to: newRate) : nil, course.end)
            }
            if isFull, !tracks.isWaiting { return (nil, course.end) }
            rest()
        }
    }

    /// What could be had of a lane: all for now, part of it, or what comes next is not believed.
    private enum Drained { case all, part, tooFar }

    /// Takes what is there of one lane.
    private func drain(
        _ reader: inout Capture.Reader, _ lane: Int, into tracks: TrackSet, limit: Int, isUrgent: Bool,
        _ end: inout Int64
    ) throws -> Drained {
        let width = capture.channelCount
        var frames = 0
        while let block = reader.first(lane: lane) {
            guard Track.distance(from: course.start, to: block.position) < limit else {
                // Not wanted any more.
                _ = reader.take(lane: lane)
                continue
            }
            guard Track.distance(from: end, to: block.position) <= 3600 * course.sampleRate else { return .tooFar }
            guard let track = tracks.track(for: block, lane: lane, width: width, isUrgent: isUrgent) else {
                return .all
            }
            try track.add(block, reader.take(lane: lane), width: width, lane: lane)
            end = max(end, block.position &+ Int64(block.frameCount))
            dropped.add(block.droppedFrames, ordering: .relaxed)
            frames += block.frameCount
            if frames > 1 << 14 { return .part }
        }
        return .all
    }

    private static let hour = "Nothing came for more than an hour of the graph's time; the recording ends there."

    /// What found no room at the very end.
    private func addRests(_ reader: borrowing Capture.Reader, to tracks: TrackSet) throws {
        for lane in 0..<capture.laneCount {
            guard let block = reader.rest(lane: lane) else { continue }
            let track = tracks.track(for: block, lane: lane, width: capture.channelCount, isUrgent: true)
            try track?.add(block, [], width: capture.channelCount, lane: lane)
        }
    }

    private func changedRate(to newRate: Int) -> ToolFailure {
        ToolFailure(
            "The graph went from \(course.sampleRate) to \(newRate) Hz, and a file has one rate; \(destination.path) ends there."
        )
    }

    /// The audio thread cannot wake anybody: this looks 50 times a second.
    private func rest() { usleep(20_000) }
}
