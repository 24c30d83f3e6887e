// SPDX-License-Identifier: MIT
import AudioConversion
import BenchmarkSupport
import CBenchmarkFormats

/// Blocks of 256 frames of stereo sound between the graph, planar floats, and an app, interleaved samples of a format.
@safe struct FormatWork {
    private static let frames = 256
    private let format: SampleLayout.Sample
    private let toClient: UnsafeMutablePointer<FormatConverter.ToClient>
    private let fromClient: UnsafeMutablePointer<FormatConverter.FromClient>
    private let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let planes: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private var left: UnsafeMutablePointer<Float> { unsafe rows[0]! }
    private var right: UnsafeMutablePointer<Float> { unsafe rows[1]! }
    private var memory: UnsafeMutableRawPointer { unsafe planes[0] }

    init(_ format: SampleLayout.Sample) {
        self.format = format
        let settings = FormatConverter.Settings(
            layout: SampleLayout(sample: format, isInterleaved: true, channelCount: 2), graphChannelCount: 2,
            graphRate: 48_000, clientRate: 48_000)
        unsafe toClient = .allocate(capacity: 1)
        unsafe toClient.initialize(to: FormatConverter.ToClient(settings))
        unsafe fromClient = .allocate(capacity: 1)
        unsafe fromClient.initialize(to: FormatConverter.FromClient(settings))
        unsafe rows = .allocate(capacity: 2)
        for channel in 0..<2 { unsafe rows[channel] = unsafe Noise.floats(Self.frames) }
        unsafe planes = .allocate(capacity: 1)
        unsafe planes[0] = unsafe UnsafeMutableRawPointer(Noise.floats(2 * Self.frames))
        check()
    }

    var storing: [Contender] { [Contender("ours", run: store), Contender("plain C", run: storePlainly)] }
    var loading: [Contender] { [Contender("ours", run: load), Contender("plain C", run: loadPlainly)] }

    private func store(_ times: Int) {
        for _ in 0..<times {
            _ = unsafe toClient.pointee.convert(
                UnsafePointer(rows), frames: Self.frames, into: UnsafePointer(planes), capacity: Self.frames)
        }
    }

    private func load(_ times: Int) {
        for _ in 0..<times {
            _ = unsafe fromClient.pointee.convert(
                UnsafePointer(planes), frames: Self.frames, into: UnsafePointer(rows), capacity: Self.frames)
        }
    }

    private func storePlainly(_ times: Int) {
        let (memory, left, right, frames) = unsafe (memory, left, right, Self.frames)
        for _ in 0..<times {
            switch format {
            case .float32: unsafe formats_store_float(memory.assumingMemoryBound(to: Float.self), left, right, frames)
            case .int16: unsafe formats_store_int16(memory.assumingMemoryBound(to: Int16.self), left, right, frames)
            default: unsafe formats_store_int24(memory.assumingMemoryBound(to: UInt8.self), left, right, frames)
            }
        }
    }

    private func loadPlainly(_ times: Int) {
        let (memory, left, right, frames) = unsafe (memory, left, right, Self.frames)
        for _ in 0..<times {
            switch format {
            case .float32: unsafe formats_load_float(left, right, memory.assumingMemoryBound(to: Float.self), frames)
            case .int16: unsafe formats_load_int16(left, right, memory.assumingMemoryBound(to: Int16.self), frames)
            default: unsafe formats_load_int24(left, right, memory.assumingMemoryBound(to: UInt8.self), frames)
            }
        }
    }

    /// Ends the program if ours and the plain loop differ.
    private func check() {
        let bytes = 2 * Self.frames * format.byteCount
        store(1)
        let ours = (0..<bytes).map { unsafe memory.load(fromByteOffset: $0, as: UInt8.self) }
        storePlainly(1)
        for byte in 0..<bytes where unsafe memory.load(fromByteOffset: byte, as: UInt8.self) != ours[byte] {
            fail("conversions: ours and the plain loop differ, to \(format)", status: 1)
        }
        load(1)
        let floats = (0..<Self.frames).map { unsafe (left[$0], right[$0]) }
        loadPlainly(1)
        for frame in 0..<Self.frames where unsafe floats[frame] != (left[frame], right[frame]) {
            fail("conversions: ours and the plain loop differ, from \(format)", status: 1)
        }
    }
}
