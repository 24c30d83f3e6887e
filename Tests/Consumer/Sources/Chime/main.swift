import Glibc
import PipeBus

do {
    let bus = try await BusClient.connect(as: "org.example.chime", name: "Chime")
    let output = try await bus.sender("out", channels: .mono)
    var writer = try await output.makeWriter(format: StreamFormat(.float32, sampleRate: 44_100))
    // A tenth of a second: 44 periods of 440 Hz.
    let block = (0..<4410).map { 0.2 * Float(sin(2 * .pi * 440 * Double($0) / 44_100)) }
    for _ in 0..<30 { try await writer.write(block) }  // waits for room
    try await writer.finish()  // until all is played
    await bus.close()
} catch let error as PipeBusError {
    error.exit()
}
