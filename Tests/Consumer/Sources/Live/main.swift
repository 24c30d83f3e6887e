import Foundation
import PipeBus

/// Takes 16-bit stereo samples as they arrive, and pushes them with the time at which they were made. One thread uses it.
final class Arrivals: @unchecked Sendable {
    static let rate = 44_100.0
    static let latency = 0.1
    private var writer: Writer

    init(_ writer: consuming Writer) { self.writer = writer }

    func run() {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        var time = 0.0  // of the next frame, in seconds
        while true {
            // Waits for the first byte, and takes all that is there: after a pause of the network that is a backlog.
            var count = 0
            repeat {
                count = read(0, &buffer, buffer.count)
                guard count > 0 else { return }
                bytes += buffer.prefix(count)
                // Of a backlog more is on its way. Six seconds at once are enough.
            } while bytes.count < 1 << 20 && poll(&input, 1, count > 8192 ? 5 : 0) > 0
            let frames = bytes.count / 4
            // The last frame has just arrived, so the first one is as old as all are long.
            let arrival = Double(MonotonicTime.now.nanoseconds) / 1e9 - Double(frames) / Self.rate
            // Arrivals jitter, and the count of the frames does not. After a pause of the other side it begins again.
            time = abs(arrival - time) > 0.1 ? arrival : time + (arrival - time) / 100
            // The old part of a backlog is too late to be heard.
            let late = max(frames - Int(Self.latency * Self.rate), 0)
            let start = time + Double(late) / Self.rate
            _ = writer.tryWrite(
                bytes.span.extracting(0..<(4 * frames)), from: late,
                madeAt: MonotonicTime(nanoseconds: UInt64(start * 1e9)))
            time += Double(frames) / Self.rate
            bytes.removeFirst(4 * frames)  // a part of a frame may be left
        }
    }
}

do {
    let bus = try await BusClient.connect(as: "org.example.live", name: "Live")
    let output = try await bus.sender("out")
    let writer = try await output.makeWriter(
        format: StreamFormat(.int16, sampleRate: Int(Arrivals.rate)),
        liveLatency: Int(Arrivals.latency * Double(bus.clock?.sampleRate ?? 48_000)), hasOwnClock: true)
    let arrivals = Arrivals(writer)
    Thread.detachNewThread { arrivals.run() }
    await bus.runUntilSignal().exit()
} catch let error as PipeBusError {
    error.exit()
}
