// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The files of a recording, and which of them the sound on each lane belongs to: one for each source, also if it goes
/// and comes back.
///
/// - Thread: the writer's.
final class TrackSet {
    private struct Entry {
        let track: Track
        let identity: SourceIdentity?
        /// The source that it is of at present, and its lane.
        var source: UInt64
        var lane: Int
    }

    private let destination: TrackWriter.Destination
    /// How long a source's sound waits until it is known who it is.
    private let patience: Duration
    private let settings: TrackSettings
    private let start: Int64
    private let limit: Int
    private var entries: [Entry] = []
    /// Which entry the newest stream of each lane belongs to.
    private var streams: [Int: (stream: UInt64, entry: Int)] = [:]
    /// Since when a stream has waited for its name.
    private var waiting: [Int: (stream: UInt64, since: ContinuousClock.Instant)] = [:]

    init(
        _ destination: TrackWriter.Destination, patience: Duration, settings: TrackSettings, start: Int64, limit: Int
    ) {
        self.destination = destination
        self.patience = patience
        self.settings = settings
        self.start = start
        self.limit = limit
    }

    var tracks: [Track] { entries.map(\.track) }
    var isWaiting: Bool { !waiting.isEmpty }

    /// The file that a block belongs to.
    ///
    /// - Parameters:
    ///   - width: channels of the lane.
    ///   - isUrgent: not to wait any longer for what may still be reported of the source.
    /// - Returns: `nil` if that is to be waited for.
    func track(for block: CapturedBlock, lane: Int, width: Int, isUrgent: Bool) -> Track? {
        let current = streams[lane].flatMap { $0.stream == block.stream ? entries[$0.entry].track : nil }
        switch destination {
        case .mixed(let file):
            return current ?? add(.given(file), block, lane: lane, channels: block.channelCount, identity: nil)
        case .separate(let folder, let names):
            let name = names.name(of: block.source)
            let channels = min(name?.channelCount ?? block.channelCount, width)
            if let current {
                // A mono source to whose lane somebody has linked another one is mono no longer.
                if channels <= current.channelCount || block.channelCount <= current.channelCount { return current }
            } else if !isUrgent, isToWait(for: name, block, lane: lane) {
                return nil
            }
            waiting[lane] = nil
            if let entry = entries.firstIndex(where: { isFree($0, for: name, block, lane, channels, names) }) {
                entries[entry].source = block.source
                entries[entry].lane = lane
                streams[lane] = (block.stream, entry)
                return entries[entry].track
            }
            let title = name?.title ?? "source \(block.source)"
            return add(
                .new(folder, title: title), block, lane: lane, channels: channels, identity: name?.identity)
        }
    }

    /// The control side may not have reported a source yet.
    private func isToWait(for name: SourceNames.Name?, _ block: CapturedBlock, lane: Int) -> Bool {
        let now = ContinuousClock.now
        guard let first = waiting[lane], first.stream == block.stream else {
            // Once at least: if it was on another lane until now, what came there is written first.
            waiting[lane] = (block.stream, now)
            return true
        }
        return name == nil && first.since.duration(to: now) < patience
    }

    /// Whether a file is of the same source, and nobody else that is called so is recorded into it.
    private func isFree(
        _ entry: Entry, for name: SourceNames.Name?, _ block: CapturedBlock, _ lane: Int, _ channels: Int,
        _ names: SourceNames
    ) -> Bool {
        guard let identity = name?.identity, entry.identity == identity, entry.track.channelCount >= channels else {
            return false
        }
        return entry.lane == lane || !names.isConnected(entry.source, lane: entry.lane)
    }

    private func add(
        _ file: TrackFile, _ block: CapturedBlock, lane: Int, channels: Int, identity: SourceIdentity?
    ) -> Track {
        let sink = TrackSink(file, channelCount: channels, settings: settings)
        let track = Track(sink, title: file.title, start: start, limit: limit)
        streams[lane] = (block.stream, entries.count)
        entries.append(Entry(track: track, identity: identity, source: block.source, lane: lane))
        return track
    }

    /// Closes the files of sources that are gone, until they come back.
    ///
    /// - Throws: ``ToolFailure``.
    func suspendUnused() throws {
        guard case .separate(_, let names) = destination else { return }
        for (index, entry) in entries.enumerated() where !entry.track.isSuspended {
            let isNewest = streams[entry.lane]?.entry == index
            // One that nobody has named is gone once another one has its lane.
            let isConnected =
                names.name(of: entry.source) == nil ? isNewest : names.isConnected(entry.source, lane: entry.lane)
            if !isConnected { try entry.track.suspend() }
        }
    }

    /// Brings all files to the same length, and ends them.
    ///
    /// - Throws: ``ToolFailure``, after all that can be ended are.
    func close(length: Int) throws {
        let tracks = tracks
        // Those that had no file may find one when the others are closed.
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
