// SPDX-License-Identifier: MIT

/// Finds the places at which a sound occurs in a recording, and its gain there.
///
/// It does not know where the sound should be.
struct EchoSearch {
    struct Occurrence: Equatable {
        /// The frame of the recording at which the sound begins.
        var place: Int
        /// 1 for the loudness of the sound itself.
        var gain: Double
    }

    /// By place.
    let occurrences: [Occurrence]
    /// The part of the recording's energy that the occurrences do not explain: 0…1.
    let remainder: Double

    /// - Parameter count: the largest number of occurrences.
    init(of sound: [Float], in recording: [Float], count: Int) {
        let sound = sound.map(Double.init)
        let recording = recording.map(Double.init)
        let places = Self.places(of: sound, in: recording, count: count).sorted()
        let overlaps = Self.overlaps(of: sound, at: places, within: recording.count)
        let matches = places.map { Self.match(recording, sound, at: $0) }
        let gains = Self.solve(overlaps, matches)
        let energy = recording.reduce(0) { $0 + $1 * $1 }
        let explained = zip(gains, matches).reduce(0) { $0 + $1.0 * $1.1 }
        occurrences = zip(places, gains).map { Occurrence(place: $0, gain: $1) }
        remainder = energy > 0 ? max(1 - explained / energy, 0) : 0
    }

    /// Whether the search can find the echoes of a sound at all: in a recording that is made here, exactly as it should be.
    ///
    /// A sound that repeats itself, such as a tone, also looks like its own echo.
    static func canFindEchoes(of sound: [Float], delay: Int, feedback: Double) -> Bool {
        var recording = sound + [Float](repeating: 0, count: 4 * delay)
        for frame in recording.indices.dropFirst(delay) {
            recording[frame] += Float(feedback) * recording[frame - delay]
        }
        let found = EchoSearch(of: sound, in: recording, count: 4).occurrences
        return [1, feedback, feedback * feedback].enumerated().allSatisfy { number, gain in
            found.contains { $0.place == number * delay && abs($0.gain - gain) < 0.02 }
        }
    }

    /// The highest peaks of the cross-correlation, divided by the sound's own spectrum.
    ///
    /// A voice resembles itself at many distances, and its words begin alike. The division leaves one sharp peak for
    /// each occurrence.
    private static func places(of sound: [Double], in recording: [Double], count: Int) -> [Int] {
        let fourier = Fourier(minimumCount: sound.count + recording.count)
        // Two real signals in one complex one.
        var real = recording + [Double](repeating: 0, count: fourier.count - recording.count)
        var imaginary = sound + [Double](repeating: 0, count: fourier.count - sound.count)
        fourier.transform(&real, &imaginary)
        divide(&real, &imaginary)
        fourier.transform(&imaginary, &real)

        var response = real[..<recording.count].map { abs($0) }
        // Below a fiftieth of the loudest are rounding errors, and traces of gaps in the spectrum.
        let floor = max((response.max() ?? 0) / 50, 1e-6)
        var found: [Int] = []
        while found.count < count, let peak = response.indices.max(by: { response[$0] < response[$1] }),
            response[peak] > floor
        {
            found.append(peak)
            // The slopes of a peak are no occurrences.
            for near in max(peak - 100, 0)..<min(peak + 101, response.count) { response[near] = 0 }
        }
        return found
    }

    /// Turns the spectrum of recording + i·sound into that of the response between sound and recording.
    private static func divide(_ real: inout [Double], _ imaginary: inout [Double]) {
        let count = real.count
        let power = zip(real, imaginary).reduce(0) { $0 + $1.0 * $1.0 + $1.1 * $1.1 } / Double(count)
        for low in 0...count / 2 {
            let high = (count - low) % count
            let recording = (
                (real[low] + real[high]) / 2, (imaginary[low] - imaginary[high]) / 2
            )
            let sound = ((imaginary[low] + imaginary[high]) / 2, (real[high] - real[low]) / 2)
            // A frequency without energy in the sound says nothing about the response.
            let scale = 1 / (sound.0 * sound.0 + sound.1 * sound.1 + 1e-6 * power) / Double(count)
            real[low] = (recording.0 * sound.0 + recording.1 * sound.1) * scale
            imaginary[low] = (recording.1 * sound.0 - recording.0 * sound.1) * scale
            real[high] = real[low]
            imaginary[high] = -imaginary[low]
        }
    }

    private static func match(_ recording: [Double], _ sound: [Double], at place: Int) -> Double {
        (0..<min(sound.count, recording.count - place)).reduce(0) { $0 + sound[$1] * recording[place + $1] }
    }

    /// The overlap of the sound at one place with the sound at another.
    private static func overlaps(of sound: [Double], at places: [Int], within count: Int) -> [[Double]] {
        places.map { first in
            places.map { second in
                let end = min(min(first, second) + sound.count, count)
                return (max(first, second)..<max(end, max(first, second)))
                    .reduce(0) { $0 + sound[$1 - first] * sound[$1 - second] }
            }
        }
    }

    /// The gains with which all occurrences together approximate the recording best.
    private static func solve(_ matrix: [[Double]], _ values: [Double]) -> [Double] {
        var rows = zip(matrix, values).map { $0 + [$1] }
        for pivot in rows.indices {
            // Each place's overlap with itself is the largest, so the diagonal is safe to divide by.
            for row in rows.indices where row != pivot {
                let factor = rows[row][pivot] / rows[pivot][pivot]
                for column in rows[row].indices { rows[row][column] -= factor * rows[pivot][column] }
            }
        }
        return rows.indices.map { rows[$0][rows.count] / rows[$0][$0] }
    }
}
