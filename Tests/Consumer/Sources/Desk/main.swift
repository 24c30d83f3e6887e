import PipeBus

do {
    let bus = try await BusClient.connect(as: "org.example.desk", name: "Desk")
    let input = try await bus.receiver("in", lanes: 4)
    Task {
        for await changes in input.sourceUpdates {
            for source in changes.connected {
                print(source.title, "is on lane", source.lane)
                try await input.setVolume(decibels: -6, for: source.id)
                try await input.setPan(source.lane.isMultiple(of: 2) ? -0.5 : 0.5, for: source.id)
            }
        }
    }
    Task {
        for await readings in input.meters(every: .milliseconds(500)) {
            for reading in readings { print(reading.source.title, reading.source.level.volume, reading.meter.peak) }
            print("mix", input.mixMeter.peak)
        }
    }
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
