// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

@testable import track_recorder

/// The other end of a writer: what the audio thread does, without one.
final class WriterSource {
    let capture: Capture
    let progress = RecordingProgress()
    let names = SourceNames()
    let writer: TrackWriter
    let complaints = SentenceLog()
    private var input: Capture.Writer
    private let start: Int64 = -500

    init(
        lanes: Int = 1, channels: Int = 1, capacity: Int = 4096, blocks: Int = 64, folder: String,
        seconds: Double? = nil, nameTimeout: Duration = .zero, heldSamples: Int = MemoryBudget.standardCapacity
    ) throws {
        let complaints = complaints
        capture = Capture(
            laneCount: lanes, channelCount: channels, minimumCapacity: capacity, blockCapacity: blocks)
        input = Capture.Writer(capture)
        writer = TrackWriter(
            capture, progress, into: .separate(try OutputFolder(path: folder), names), format: .float32,
            seconds: seconds,
            .init(
                nameTimeout: nameTimeout, ringFrames: capacity, heldSamples: heldSamples,
                longestSilence: .seconds(2 * 3600), report: { complaints.add($0) }))
        unsafe progress.values.pointee.start.store(start, ordering: .relaxed)
        unsafe progress.values.pointee.sampleRate.store(48_000, ordering: .releasing)
    }

    /// A block of a lane at a frame of the recording. Samples count on from there.
    @discardableResult
    func put(
        _ count: Int, at frame: Int, lane: Int = 0, stream: UInt64 = 1, channels: Int = 1,
        missed: Int = 0, isContinuation: Bool = false, _ sample: (_ frame: Int, _ channel: Int) -> Float
    ) -> Bool {
        let end = start &+ Int64(frame + count)
        defer {
            unsafe progress.values.pointee.end.store(max(end, progress.end), ordering: .releasing)
            unsafe progress.values.pointee.reached.store(end, ordering: .releasing)
        }
        let block = CapturedBlock(
            stream: stream, position: start &+ Int64(frame), frameCount: count,
            channelCount: channels, isContinuation: isContinuation, missedFrames: missed)
        guard input.begin(lane: lane, block) else { return false }
        for channel in 0..<channels {
            let samples = (frame..<(frame + count)).map { sample($0, channel) }
            input.fill(lane: lane, channel: channel, with: samples.span)
        }
        input.end(lane: lane)
        return true
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
