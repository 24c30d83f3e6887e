import Foundation
import PipeBus

/// A source for as long as it is connected.
struct Take: Hashable {
    var lane: Int
    var generation: UInt64
}

do {
    let bus = try await BusClient.connect(as: "org.example.takes", name: "Takes")
    // Nobody waits for a slower source: each frame has its time.
    let capture = try await bus.separateCapture("in", alignment: .immediate, fade: .none)
    let recording = Task.detached {
        var files: [Take: FileHandle] = [:]
        var start: Int64?
        for await block in capture where block.frameCount > 0 {
            let take = Take(lane: block.lane, generation: block.sourceGeneration)
            if files[take] == nil {
                let url = URL(filePath: "source-\(take.lane + 1)-\(take.generation).f32")
                try Data().write(to: url)
                files[take] = try FileHandle(forWritingTo: url)
            }
            // All files begin at one moment: that at which the first sound was made. A gap is silence.
            let position = block.timestamp.position
            start = start ?? position
            let place = max(position - start!, 0) * Int64(4 * block.channelCount)
            try files[take]?.seek(toOffset: UInt64(place))
            // What a slower source made before that moment is left out.
            let earlyFrames = min(max(Int(start! - position), 0), block.frameCount)
            let sound = block.interleaved.dropFirst(earlyFrames * block.channelCount)
            try files[take]?.write(contentsOf: sound.withUnsafeBytes { Data($0) })
        }
        for file in files.values { try file.close() }
    }
    let ending = await bus.runUntilSignal()
    try await recording.value
    ending.exit()
} catch let error as PipeBusError {
    error.exit()
}
