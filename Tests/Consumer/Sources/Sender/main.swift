import Glibc
import PipeBus

do {
    let bus = try await BusClient.connect(as: "org.example.tone", name: "Tone")
    _ = try await bus.sender("out", channels: .mono, state: 0.0) { phase, cycle, output in
        output.fill(0) { _ in
            phase = (phase + 440 / Double(cycle.sampleRate)).truncatingRemainder(dividingBy: 1)
            return 0.2 * Float(sin(2 * .pi * phase))
        }
    }
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
