import Foundation
import PipeBus
import RealtimeKit

do {
    let bus = try await BusClient.connect(as: "org.example.knob", name: "Knob")
    let gain = Parameter(Float(1))
    _ = try await bus.inPlaceFilter(
        "gain", state: gain.makeReader(rampedOver: .milliseconds(20))
    ) { gain, cycle, channels in
        let gains = gain.ramp(over: cycle)
        for channel in 0..<channels.count {
            var samples = channels[channel]
            for frame in samples.indices { samples[frame] *= gains[frame] }
        }
    }
    Thread.detachNewThread {
        while let line = readLine() {
            if let value = Float(line), (0...4).contains(value) { gain.value = value } else { print("Type 0 to 4.") }
        }
    }
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
