import Foundation
import PipeBus

do {
    let bus = try await BusClient.connect(as: "org.example.push", name: "Push")
    let output = try await bus.sender("out")
    var writer = try await output.makeWriter(format: StreamFormat(.int16, sampleRate: 44_100))
    // Whole frames of two samples of two bytes.
    while let bytes = try FileHandle.standardInput.read(upToCount: 4096), bytes.count >= 4 {
        // Waits for room. Nothing is read meanwhile, so whoever writes into the pipe waits too.
        try await writer.write([UInt8](bytes.prefix(bytes.count / 4 * 4)))
    }
    try await writer.finish()
    await bus.close()
} catch let error as PipeBusError {
    error.exit()
}
