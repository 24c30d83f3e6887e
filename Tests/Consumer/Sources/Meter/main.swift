import PipeBus

do {
    let bus = try await BusClient.connect(as: "org.example.meter", name: "Meter")
    let input = try await bus.receiver("in", state: ()) { _, cycle, mix in /* mix[0], mix[1] */ }
    try await bus.connect("Tone", to: input)  // waits until Tone exists, for 10 seconds
    Task {
        for await readings in input.meters {
            for reading in readings { print(reading.source.title, reading.meter.peak, reading.source.latency) }
        }
    }
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
