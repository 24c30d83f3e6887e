import Foundation
import PipeBus

do {
    let bus = try await BusClient.connect(as: "org.example.disk", name: "Disk")
    let path = "sound.f32"  // raw samples: left, right, left, right, …
    try Data().write(to: URL(filePath: path))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    let capture = try await bus.capture("in", fade: .none)
    let recording = Task.detached {
        for await block in capture {
            if block.droppedFrames > 0 { print("the disk was too slow for", block.droppedFrames, "frames") }
            try file.write(contentsOf: block.interleaved.withUnsafeBytes { Data($0) })
        }
        try file.close()
    }
    let ending = await bus.runUntilSignal()
    // The port is closed, so the sequence ends when all that came is in the file.
    try await recording.value
    ending.exit()
} catch let error as PipeBusError {
    error.exit()
}
