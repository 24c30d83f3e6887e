// SPDX-License-Identifier: MIT
import AudioConversion

/// Blocks of 256 frames of the graph's stereo sound at 44.1 kHz, for an app at 48 kHz: planar to interleaved floats.
@safe struct ResamplingWork {
    static let rates = (from: 44_100, to: 48_000)
    static let frames = 256
    static let channels = 2
    /// Room for more frames than come of a block.
    static let capacity = 4096

    private let converter: UnsafeMutablePointer<FormatConverter.ToClient>
    private let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let planes: UnsafeMutablePointer<UnsafeMutableRawPointer>

    init(_ quality: Resampler.Quality) {
        let layout = SampleLayout(sample: .float32, isInterleaved: true, channelCount: Self.channels)
        unsafe converter = .allocate(capacity: 1)
        unsafe converter.initialize(
            to: FormatConverter.ToClient(
                FormatConverter.Settings(
                    layout: layout, graphChannelCount: Self.channels, graphRate: Double(Self.rates.from),
                    clientRate: Double(Self.rates.to), quality: quality)))
        unsafe rows = .allocate(capacity: Self.channels)
        for channel in 0..<Self.channels { unsafe rows[channel] = unsafe Noise.floats(Self.frames) }
        unsafe planes = .allocate(capacity: 1)
        unsafe planes[0] = unsafe UnsafeMutableRawPointer(Noise.floats(Self.channels * Self.capacity))
    }

    func run(_ times: Int) {
        for _ in 0..<times {
            _ = unsafe converter.pointee.convert(
                UnsafePointer(rows), frames: Self.frames, into: UnsafePointer(planes), capacity: Self.capacity)
        }
    }
}
