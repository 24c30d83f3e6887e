// SPDX-License-Identifier: MIT
import AudioConversion
import Glibc

/// An app's samples for tests, at any address, with bytes around them that nobody may write.
@safe
final class TestBytes {
    private static let margin = 160
    private static let mark: UInt8 = 0xA5
    private static let marks = [UInt8](repeating: mark, count: margin)
    let layout: SampleLayout
    let frames: Int
    private let memory: UnsafeMutableRawBufferPointer
    private let addresses: UnsafeMutableBufferPointer<UnsafeMutableRawPointer>
    private let planeLength: Int
    private let offset: Int

    /// - Parameter offset: 0…15: distance from an aligned address, in bytes.
    init(_ layout: SampleLayout, frames: Int, offset: Int = 0) {
        self.layout = layout
        self.frames = frames
        self.offset = offset
        planeLength = frames * layout.stride
        let stride = planeLength + 2 * Self.margin + 16
        unsafe memory = .allocate(byteCount: layout.planeCount * stride, alignment: 16)
        unsafe addresses = .allocate(capacity: layout.planeCount)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: Self.mark)
        for plane in 0..<layout.planeCount {
            unsafe addresses.initializeElement(
                at: plane, to: memory.baseAddress! + plane * stride + Self.margin + offset)
        }
    }

    deinit {
        unsafe memory.deallocate()
        unsafe addresses.deallocate()
    }

    var planes: Planes { unsafe Planes(addresses.baseAddress!) }

    private func address(_ frame: Int, _ channel: Int) -> UnsafeMutablePointer<UInt8> {
        let plane = unsafe addresses[layout.isInterleaved ? 0 : channel]
        let inFrame = layout.isInterleaved ? channel * layout.sample.byteCount : 0
        return unsafe (plane + frame * layout.stride + inFrame).assumingMemoryBound(to: UInt8.self)
    }

    /// The bits of a sample, as an integer; of a float, its bit pattern.
    subscript(frame: Int, channel: Int) -> Int32 {
        get {
            let bytes = unsafe address(frame, channel)
            var bits: UInt32 = 0
            for index in 0..<layout.sample.byteCount { unsafe bits |= UInt32(bytes[index]) << (8 * index) }
            let unused = 32 - 8 * layout.sample.byteCount
            return Int32(bitPattern: bits << unused) >> unused
        }
        set {
            let bytes = unsafe address(frame, channel)
            for index in 0..<layout.sample.byteCount {
                unsafe bytes[index] = UInt8(truncatingIfNeeded: newValue >> (8 * index))
            }
        }
    }

    /// Whether all samples have the same bytes.
    func equals(_ other: TestBytes) -> Bool {
        (0..<layout.planeCount).allSatisfy { unsafe memcmp(addresses[$0], other.addresses[$0], planeLength) == 0 }
    }

    /// Whether nothing was written beside the samples.
    var isIntact: Bool {
        (0..<layout.planeCount).allSatisfy { plane in
            let (first, end) = unsafe (addresses[plane] - Self.margin, addresses[plane] + planeLength)
            return unsafe memcmp(first, Self.marks, Self.margin) == 0 && memcmp(end, Self.marks, Self.margin) == 0
        }
    }
}
