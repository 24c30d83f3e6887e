// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The files of a recording, and the file of each lane's sound. Each source has one file, even if it is disconnected
/// and connected again.
///
/// - Thread: the writer's.
final class TrackSet {
    private struct Entry {
        let track: Track
        let identity: Source.Identity?
        /// The present stream of the file.
        var stream: SourceNames.Stream
    }

    private let destination: TrackWriter.Destination
    /// The longest time that a source's sound waits for the source's name.
    private let nameTimeout: Duration
    private let settings: TrackSettings
    private let start: Int64
    private let limit: Int
    private var entries: [Entry] = []
    /// Known with the first block.
    private var origin: RecordingOrigin?
    /// The entry of the newest stream of each lane.
    private var streams: [Int: (stream: UInt64, entry: Int)] = [:]
    /// The time since which a stream has waited for its name.
    private var waiting: [Int: (stream: UInt64, since: ContinuousClock.Instant)] = [:]

    init(
        _ destination: TrackWriter.Destination, nameTimeout: Duration, settings: TrackSettings, start: Int64, limit: Int
    ) {
        self.destination = destination
        self.nameTimeout = nameTimeout
        self.settings = settings
        self.start = start
        self.limit = limit
    }

    var tracks: [Track] { entries.map(\.track) }
    var isWaiting: Bool { !waiting.isEmpty }

    /// The file of a block.
    ///
    /// - Parameters:
    ///   - width: number of channels of the lane.
    ///   - isUrgent: whether not to wait any longer for reports about the source.
    /// - Returns: `nil` to wait for such a report.
    func track(for block: CapturedBlock, lane: Int, width: Int, isUrgent: Bool) -> Track? {
        let current = streams[lane].flatMap { $0.stream == block.stream ? entries[$0.entry].track : nil }
        switch destination {
        case .mixed(let file):
            return current ?? add(.given(file), block, lane: lane, channels: block.channelCount, identity: nil)
        case .separate(let folder, let names):
            let stream = SourceNames.Stream(lane: lane, number: block.stream)
            let name = names.name(of: stream)
            // A lane carries a source on one channel or on all.
            let channels = (name?.channelCount ?? block.channelCount) == 1 ? 1 : width
            if let current {
                // A mono source on whose lane another program has linked a second source is mono no longer.
                if channels <= current.channelCount || block.channelCount <= current.channelCount { return current }
            } else if !isUrgent, isToWait(for: name, block, lane: lane) {
                return nil
            }
            waiting[lane] = nil
            if let entry = entries.firstIndex(where: { isFree($0, for: name, lane, channels, names) }) {
                entries[entry].stream = stream
                streams[lane] = (block.stream, entry)
                return entries[entry].track
            }
            let title = name?.title ?? "lane \(lane + 1) source \(block.stream)"
            return add(
                .new(folder, title: title), block, lane: lane, channels: channels, identity: name?.identity)
        }
    }

    /// Whether to wait for the control side, which may not have reported a source yet.
    private func isToWait(for name: SourceNames.Name?, _ block: CapturedBlock, lane: Int) -> Bool {
        let now = ContinuousClock.now
        guard let first = waiting[lane], first.stream == block.stream else {
            // At least once: if the source was on another lane until now, the sound of that lane is written first.
            waiting[lane] = (block.stream, now)
            return true
        }
        return name == nil && first.since.duration(to: now) < nameTimeout
    }

    /// Whether a file is of the same source, and no other source with this name is recorded into it.
    private func isFree(
        _ entry: Entry, for name: SourceNames.Name?, _ lane: Int, _ channels: Int, _ names: SourceNames
    ) -> Bool {
        guard let identity = name?.identity, entry.identity == identity, entry.track.channelCount >= channels else {
            return false
        }
        return entry.stream.lane == lane || !names.isConnected(entry.stream)
    }

    private func add(
        _ file: TrackFile, _ block: CapturedBlock, lane: Int, channels: Int, identity: Source.Identity?
    ) -> Track {
        let origin = origin ?? RecordingOrigin(start: start, block, sampleRate: settings.sampleRate)
        self.origin = origin
        let sink = TrackSink(
            file, channelCount: channels, settings: settings, origin: origin.of(file.shortTitle))
        let track = Track(sink, title: file.title, start: start, limit: limit)
        streams[lane] = (block.stream, entries.count)
        entries.append(Entry(track: track, identity: identity, stream: .init(lane: lane, number: block.stream)))
        return track
    }

    /// Closes the files of disconnected sources until they are connected again.
    ///
    /// - Throws: ``ToolFailure``.
    func suspendUnused() throws {
        guard case .separate(_, let names) = destination else { return }
        for (index, entry) in entries.enumerated() where !entry.track.isSuspended {
            let isNewest = streams[entry.stream.lane]?.entry == index
            // A source without a name counts as disconnected once another source is on its lane.
            let isConnected = names.name(of: entry.stream) == nil ? isNewest : names.isConnected(entry.stream)
            if !isConnected { try entry.track.suspend() }
        }
    }

    /// Fills all files up to the same length, and ends them.
    ///
    /// - Throws: ``ToolFailure``, after all other files are ended.
    func close(length: Int) throws {
        let tracks = tracks
        // Tracks without a file may get one when the other files are closed.
        let results = [false, true].flatMap { isLast in
            tracks.map { track in Swift.Result { try track.close(length: length, isLast: isLast) } }
        }
        for result in results { try result.get() }
    }

    /// Ends all files as they are.
    func abandon() {
        for track in tracks { track.abandon() }
    }
}
