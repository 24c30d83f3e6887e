import Foundation
import PipeBus

do {
    let bus = try await BusClient.connect(as: "org.example.push", name: "Push")
    let output = try await bus.sender("out")
    var writer = try await output.makeWriter(format: StreamFormat(.int16, sampleRate: 44_100))
    // Whole frames of two samples of two bytes.
    while let bytes = try FileHandle.standardInput.read(upToCount: 4096), bytes.count >= 4 {
        let block = [UInt8](bytes.prefix(bytes.count / 4 * 4))
        var written = 0
        while written < block.count {
            written += 4 * writer.tryWrite(block.span.extracting(written...))
            // Full: nothing is read meanwhile, so whoever writes into the pipe waits too.
            if written < block.count { try await Task.sleep(for: .milliseconds(5)) }
        }
    }
    try await writer.finish()
    await bus.close()
} catch let error as PipeBusError {
    error.exit()
}
