import PipeBus
import RealtimeKit

do {
    let bus = try await BusClient.connect(as: "org.example.volume", name: "Volume")
    let volume = Parameter(Float(0.5))
    _ = try await bus.inPlaceFilter(
        "volume", state: volume.makeReader(rampedOver: .milliseconds(20))
    ) { volume, cycle, channels in
        let gain = volume.ramp(over: cycle)
        for channel in 0..<channels.count {
            var samples = channels[channel]
            for frame in samples.indices { samples[frame] *= gain[frame] }
        }
    }
    volume.value = 0.8  // from any thread
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
