import PipeBus

do {
    let bus = try await BusClient.connect(as: "org.example.count", name: "Count")
    let capture = try await bus.capture("in")
    Task {
        for await block in capture { print(block.frameCount, "frames, made at", block.timestamp.position) }
    }
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
