import Foundation
import PipeBus

/// Reads a block, works on it, and writes it on, a hundred times a second. One thread uses it.
final class Worker: @unchecked Sendable {
    private var reader: Reader
    private var writer: Writer

    init(_ reader: consuming Reader, _ writer: consuming Writer) {
        self.reader = reader
        self.writer = writer
    }

    func run() {
        var samples = [Float](repeating: 0, count: 2 * 480)
        var time = SuspendingClock.now
        while true {
            var span = samples.mutableSpan
            let result = reader.read(into: &span)
            for index in samples.indices { samples[index] *= 0.5 }  // the work
            _ = writer.tryWrite(samples.span, madeAt: result.timestamp.time)
            time += .milliseconds(10)
            Thread.sleep(forTimeInterval: (time - .now) / .seconds(1))
        }
    }
}

do {
    let bus = try await BusClient.connect(as: "org.example.through", name: "Through")
    let input = try await bus.receiver("in", panLaw: .balance)
    let output = try await bus.sender("out")
    let format = StreamFormat(.float32, sampleRate: 48_000)
    // The thread's clock is not that of the graph.
    let reader = try input.makeReader(format: format, blockSize: 480, hasOwnClock: true)
    // The reader stays behind by two cycles; a block, the writer's cycles and some time for the thread come to that.
    let cycle = max(bus.clock?.quantum ?? 1024, 480)
    let writer = try await output.makeWriter(format: format, liveLatency: 6 * cycle, hasOwnClock: true)
    let worker = Worker(reader, writer)
    Thread.detachNewThread { worker.run() }
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
