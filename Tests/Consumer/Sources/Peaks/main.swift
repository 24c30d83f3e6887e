import Foundation
import PipeBus
import RealtimeKit

struct Peak: BitwiseCopyable, Sendable {
    var position: Int64
    var level: Float
}

do {
    let bus = try await BusClient.connect(as: "org.example.peaks", name: "Peaks")
    let queue = EventQueue<Peak>(minimumCapacity: 256)
    _ = try await bus.receiver("in", state: queue.makeWriter()) { peaks, cycle, mix in
        let samples = mix[0]
        var level: Float = 0
        for frame in samples.indices where samples[frame].magnitude > level { level = samples[frame].magnitude }
        // A full queue drops it: a block does not wait.
        if level > 0.1 { _ = peaks.trySend(Peak(position: Int64(cycle.position), level: level)) }
    }
    Thread.detachNewThread {
        var peaks = queue.makeReader()
        while true {
            while let peak = peaks.tryReceive() { print("a peak of", peak.level, "at", peak.position) }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
