// SPDX-License-Identifier: MIT

/// What has come of ``NumberedSound``: how many frames of each source, each at its place and once.
struct HeardFrames {
    private let sound: NumberedSound
    /// Number of frames of each source.
    private(set) var counts = [Int](repeating: 0, count: NumberedSound.sourceCount)
    /// The first thing that was wrong.
    private(set) var fault: String?
    /// The frame after the last one of each source.
    private var ends = [Int64](repeating: .min, count: NumberedSound.sourceCount)

    init(_ sound: NumberedSound) { self.sound = sound }

    /// Notes samples, silent or of any sources.
    ///
    /// - Parameter start: the number of the first frame.
    mutating func note(_ samples: ArraySlice<Float>, from start: Int64) {
        unsafe samples.withUnsafeBufferPointer { samples in
            guard fault == nil, let base = samples.baseAddress else { return }
            unsafe note(base, samples.count / sound.width, from: start)
        }
    }

    private mutating func note(_ samples: UnsafePointer<Float>, _ count: Int, from start: Int64) {
        var first = 0
        while first < count {
            let frame = start + Int64(first)
            let place = unsafe samples + first * sound.width
            guard let set = unsafe NumberedSound.sources(in: place.pointee) else {
                fault = unsafe "frame \(first) of \(count), made at \(frame), is \(place.pointee)"
                return
            }
            let run = unsafe sound.matchingFrames(of: set, in: place, count: count - first, from: frame)
            guard run > 0 else {
                fault = unsafe "frame \(first) of \(count), made at \(frame), is \(place.pointee), of another time"
                return
            }
            for source in 0..<NumberedSound.sourceCount where set >> source & 1 == 1 {
                if frame < ends[source] { fault = fault ?? "frames of source \(source) come twice, at \(frame)" }
                counts[source] += run
                ends[source] = frame + Int64(run)
            }
            first += run
        }
    }
}
