// SPDX-License-Identifier: MIT
import PipeBus

/// Reads 16-bit samples of one channel, for a test to look at.
final class FormatReader: @unchecked Sendable {
    // @unchecked: one thread uses it at a time: the block's, then the test's.
    private var reader: Reader
    private let blockSize: Int
    private var due = 0.0
    private(set) var samples: [Int16] = []
    private(set) var result: ReadResult?

    init(_ reader: consuming Reader, blockSize: Int) {
        self.reader = reader
        self.blockSize = blockSize
    }

    /// The position after the last sample, in frames of the graph, as its time says it.
    private(set) var end: Double?

    func run(_ cycle: AudioCycle) {
        due += Double(cycle.frameCount * (reader.format.sampleRate ?? cycle.sampleRate)) / Double(cycle.sampleRate)
        while due >= Double(blockSize) {
            due -= Double(blockSize)
            var bytes = [UInt8](repeating: 0, count: 2 * blockSize)
            var span = bytes.mutableSpan
            let result = reader.read(into: &span, at: cycle.startTime)
            self.result = result
            let age = Double(cycle.startTime.nanoseconds) - Double(result.timestamp.time.nanoseconds)
            end =
                Double(cycle.position) - age * Double(cycle.sampleRate) / 1e9
                + Double(blockSize * cycle.sampleRate) / Double(result.sampleRate)
            for index in 0..<blockSize {
                samples.append(Int16(truncatingIfNeeded: Int(bytes[2 * index]) | Int(bytes[2 * index + 1]) << 8))
            }
        }
    }
}
