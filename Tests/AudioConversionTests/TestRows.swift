// SPDX-License-Identifier: MIT
import AudioConversion
import Glibc

/// Planar samples for tests, with a few around each row that nobody may write.
@safe
final class TestRows {
    private static let margin = 40
    private static let mark: Float = 77
    private static let marks = [Float](repeating: mark, count: margin)
    let count: Int
    let frames: Int
    private let memory: UnsafeMutableBufferPointer<Float>
    private let addresses: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>

    init(count: Int, frames: Int) {
        self.count = count
        self.frames = frames
        let stride = frames + 2 * Self.margin
        unsafe memory = .allocate(capacity: count * stride)
        unsafe memory.initialize(repeating: Self.mark)
        unsafe addresses = .allocate(capacity: count)
        for row in 0..<count {
            unsafe addresses.initializeElement(at: row, to: memory.baseAddress! + row * stride + Self.margin)
        }
    }

    convenience init(_ samples: [[Float]]) {
        self.init(count: samples.count, frames: samples[0].count)
        for (row, samples) in samples.enumerated() {
            for (frame, sample) in samples.enumerated() { unsafe addresses[row]![frame] = sample }
        }
    }

    deinit {
        unsafe memory.deallocate()
        unsafe addresses.deallocate()
    }

    var rows: Rows { unsafe Rows(addresses.baseAddress!) }

    var samples: [[Float]] {
        (0..<count).map { row in unsafe Array(UnsafeBufferPointer(start: addresses[row], count: frames)) }
    }

    func prefix(_ frames: Int) -> [[Float]] { samples.map { Array($0[..<frames]) } }

    /// Whether all samples have the same bits.
    func equals(_ other: TestRows) -> Bool {
        (0..<count).allSatisfy { unsafe memcmp(addresses[$0]!, other.addresses[$0]!, 4 * frames) == 0 }
    }

    /// Whether nothing was written beside the rows.
    var isIntact: Bool {
        (0..<count).allSatisfy { row in
            let (first, end) = unsafe (addresses[row]! - Self.margin, addresses[row]! + frames)
            let size = 4 * Self.margin
            return unsafe memcmp(first, Self.marks, size) == 0 && memcmp(end, Self.marks, size) == 0
        }
    }
}
