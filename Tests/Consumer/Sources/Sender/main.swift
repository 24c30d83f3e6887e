import Glibc
import PipeBus

do {
    let bus = try await BusClient.connect(as: "org.example.tone", name: "Tone")
    _ = try await bus.sender("out", channels: .mono, state: 0.0) { phase, cycle, output in
        var samples = output[0]
        for frame in samples.indices {
            samples[frame] = 0.2 * Float(sin(2 * .pi * phase))
            phase = (phase + 440 / Double(cycle.sampleRate)).truncatingRemainder(dividingBy: 1)
        }
    }
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
