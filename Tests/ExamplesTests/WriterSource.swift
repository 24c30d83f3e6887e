// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization
import ToolSupport

@testable import PipeBus
@testable import track_recorder

/// The other end of a writer: what the audio thread does, without one.
final class WriterSource {
    let names = SourceNames()
    let writer: TrackWriter
    let complaints = SentenceLog()
    private let memory: StreamMemory
    private var progress = StreamProgress()
    private let start: Int64 = -500

    init(
        lanes: Int = 1, channels: Int = 1, capacity: Int = 4096, blocks: Int = 64, folder: String,
        seconds: Double? = nil, nameTimeout: Duration = .zero, heldSamples: Int = MemoryBudget.standardCapacity
    ) throws {
        let complaints = complaints
        memory = StreamMemory(
            laneCount: lanes, width: channels, isSeparate: true, capacity: capacity, records: blocks)
        writer = TrackWriter(
            RecordingProgress(
                RecordingCapture(Capture(memory, of: StreamTable(), port: nil)), isAligned: true),
            into: .separate(try OutputFolder(path: folder), names), format: .float32, seconds: seconds,
            .init(
                nameTimeout: nameTimeout, ringFrames: capacity, heldSamples: heldSamples,
                longestSilence: .seconds(2 * 3600), width: channels, report: { complaints.add($0) }))
        progress.firstPlace = start
        progress.firstSampleRate = 48_000
        progress.sampleRate = 48_000
        progress.newestEnd = .min
        progress.completeEnd = .min
        publish()
    }

    private func publish() {
        progress.cycle += 1
        memory.core.value.published.value = progress
        memory.core.value.published.publish()
    }

    /// A block of a lane at a frame of the recording. Samples count on from there.
    @discardableResult
    func put(
        _ count: Int, at frame: Int, lane: Int = 0, stream: UInt64 = 1, channels: Int = 1,
        missed: Int = 0, isContinuation: Bool = false, _ sample: (_ frame: Int, _ channel: Int) -> Float
    ) -> Bool {
        let end = start &+ Int64(frame + count)
        defer {
            progress.newestEnd = max(end, progress.newestEnd)
            progress.completeEnd = end
            publish()
        }
        var record = StreamRecord()
        record.generation = stream
        record.cycle = progress.cycle
        record.arrival = start &+ Int64(frame)
        record.frameCount = count
        record.channelCount = channels
        record.sampleRate = 48_000
        record.isContinuation = isContinuation
        record.missedFrames = missed
        let lane = memory.core.value.lanes.cell(lane)
        guard lane.value.begin(record) else { return false }
        for channel in 0..<channels {
            var samples = (frame..<(frame + count)).map { sample($0, channel) }
            unsafe samples.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                lane.value.fill(channel: channel, with: unsafe SampleBlock(base, frameCount: count))
            }
        }
        lane.value.end()
        return true
    }

    /// Ends the recording, as when the port is closed.
    func end() {
        memory.finish()
        writer.end()
    }

    func learn(_ connected: [(lane: Int, stream: UInt64, name: String, channels: Int)], node: String? = nil) {
        names.learn(
            connected.map { lane, stream, name, channels in
                let identity = Source.Identity(applicationID: "org.example", nodeName: node ?? name)
                return (
                    .init(lane: lane, number: stream), .init(title: name, identity: identity, channelCount: channels)
                )
            })
    }
}
