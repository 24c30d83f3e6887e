// SPDX-License-Identifier: MIT
import Glibc
import RealtimeKit
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

    /// How long a source's sound waits in the ring until it is known who it is, and whether it is mono.
    struct Patience: Sendable {
        var forName = Duration.seconds(2)
        var forChannels = Duration.milliseconds(100)
    }

    private let capture: Capture
    private let course: Course
    private let destination: Destination
    private let format: SampleFormat
    private let seconds: Double?
    private let patience: Patience
    private let over = Atomic<Bool>(false)
    private let isLast = Atomic<Bool>(false)
    private let dropped = Atomic<Int>(0)

    /// - Parameter seconds: where it ends; `nil` if nowhere.
    init(
        _ capture: Capture, _ course: Course, into destination: Destination, format: SampleFormat, seconds: Double?,
        patience: Patience = Patience()
    ) {
        self.capture = capture
        self.course = course
        self.destination = destination
        self.format = format
        self.seconds = seconds
        self.patience = patience
    }

    /// All that was wanted is written, or nothing more can be.
    var isOver: Bool { over.load(ordering: .relaxed) }

    /// Frames that the disk was too slow for, of all sources, so far.
    var droppedFrames: Int { dropped.load(ordering: .relaxed) }

    /// Says that nothing more comes than what is on its way.
    func end() { isLast.store(true, ordering: .releasing) }

    // Acquire: pairs with the release in `end`, so that the last samples are seen.
    private var hasEnded: Bool { isLast.load(ordering: .acquiring) }

    /// Writes until nothing more comes.
    func run() throws -> RecordingFigures {
        defer { over.store(true, ordering: .relaxed) }
        guard waitForFirstCycle() else {
            destination.discard()
            return RecordingFigures()
        }
        let sampleRate = course.sampleRate
        let limit = seconds.map { Int(($0 * Double(sampleRate)).rounded()) } ?? .max
        let tracks = TrackSet(
            destination, patience: patience, sampleRate: sampleRate, format: format, start: course.start, limit: limit)
        do {
            try fill(tracks, limit: limit)
        } catch {
            tracks.abandon()
            throw error
        }
        let length = min(Int(course.end &- course.start), limit)
        try tracks.close(length: length)
        return RecordingFigures(
            sampleRate: sampleRate, start: course.start, frames: length, tracks: tracks.tracks.map(\.figures))
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

    private func fill(_ tracks: TrackSet, limit: Int) throws {
        let reader = Capture.Reader(capture)
        var end = course.start
        // Only when all else is written: then nobody is waited for any more.
        var isUrgent = false
        while true {
            // All asked first: what came before the answer is found, then, and written.
            let isLast = hasEnded
            let newRate = course.newRate
            let isFull = limit < .max && course.reached &- course.start >= limit
            var isEmpty = true
            for lane in 0..<capture.laneCount {
                let isDone = try drain(reader, lane, into: tracks, limit: limit, isUrgent: isUrgent, &end)
                isEmpty = isEmpty && isDone
            }
            for track in tracks.tracks { try track.flush() }
            // More may have come, but it is the others' turn.
            guard isEmpty else { continue }
            if isLast || newRate != 0, tracks.isWaiting {
                isUrgent = true
                continue
            }
            guard newRate == 0 else { throw changedRate(to: newRate) }
            if isLast { return try addRests(reader, to: tracks) }
            if isFull, !tracks.isWaiting { return }
            rest()
        }
    }

    /// Takes what is there of one lane.
    ///
    /// - Returns: whether that was all that can be had now.
    private func drain(
        _ reader: borrowing Capture.Reader, _ lane: Int, into tracks: TrackSet, limit: Int, isUrgent: Bool,
        _ end: inout Int64
    ) throws -> Bool {
        let width = capture.channelCount
        var frames = 0
        while let block = reader.first(lane: lane) {
            guard block.position &- course.start < limit else {
                // Not wanted any more.
                _ = reader.take(lane: lane)
                continue
            }
            guard block.position &- end <= 3600 * Int64(course.sampleRate) else { throw ToolFailure(Self.hour) }
            guard let track = try tracks.track(for: block, lane: lane, width: width, isUrgent: isUrgent) else {
                return true
            }
            try track.add(block, reader.take(lane: lane), width: width, lane: lane)
            end = max(end, block.position &+ Int64(block.frameCount))
            dropped.add(block.droppedFrames, ordering: .relaxed)
            frames += block.frameCount
            if frames > 1 << 14 { return false }
        }
        return true
    }

    private static let hour = "Nothing came for more than an hour of the graph's time; the recording ends there."

    /// What found no room at the very end.
    private func addRests(_ reader: borrowing Capture.Reader, to tracks: TrackSet) throws {
        for lane in 0..<capture.laneCount {
            guard let block = reader.rest(lane: lane) else { continue }
            let track = try tracks.track(for: block, lane: lane, width: capture.channelCount, isUrgent: true)
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
