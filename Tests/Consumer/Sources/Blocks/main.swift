import PipeBus

do {
    let bus = try await BusClient.connect(as: "org.example.blocks", name: "Blocks")
    let input = try await bus.receiver("in")
    Task {
        var reader = try input.makeReader(blockSize: 4800)
        var samples = [Float](repeating: 0, count: 2 * 4800)
        var time = ContinuousClock.now
        while true {
            var span = samples.mutableSpan
            let result = reader.read(into: &span)  // left, right, left, right, …
            print(result.frameCount, "frames, made at", result.timestamp.position, "peak", samples.max() ?? 0)
            // At the graph's pace: as long as the block lasts.
            let rate = result.sampleRate > 0 ? result.sampleRate : 48_000  // 0 while the graph's rate is not known
            time += .seconds(4800 / Double(rate))
            try await Task.sleep(until: time)
        }
    }
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
