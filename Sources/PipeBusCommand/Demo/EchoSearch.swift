// SPDX-License-Identifier: MIT

/// Finds the places at which a sound occurs in a recording, and how loud it is there.
///
/// It knows nothing of what should be there.
struct EchoSearch {
    struct Occurrence: Equatable {
        /// The frame of the recording at which the sound begins.
        var place: Int
        /// 1 if it is as loud as the sound itself.
        var gain: Double
    }

    /// By place.
    let occurrences: [Occurrence]
    /// Of the recording's energy, the part that is not accounted for by the occurrences: 0…1.
    let remainder: Double

    /// - Parameter count: the most occurrences to look for.
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

    /// The highest peaks of the cross-correlation. Divided by the sound's own spectrum: a voice resembles itself at
    /// many distances, and its words begin alike, but what remains of it then is one sharp peak for each occurrence.
    private static func places(of sound: [Double], in recording: [Double], count: Int) -> [Int] {
        let fourier = Fourier(minimumCount: sound.count + recording.count)
        // Two real signals in one complex one.
        var real = recording + [Double](repeating: 0, count: fourier.count - recording.count)
        var imaginary = sound + [Double](repeating: 0, count: fourier.count - sound.count)
        fourier.transform(&real, &imaginary)
        divide(&real, &imaginary)
        fourier.transform(&imaginary, &real)

        var response = real[..<recording.count].map { abs($0) }
        // Below a fiftieth of the loudest are the traces of what the spectrum lacks, and of arithmetic.
        let floor = max((response.max() ?? 0) / 50, 1e-6)
        var found: [Int] = []
        while found.count < count, let peak = response.indices.max(by: { response[$0] < response[$1] }),
            response[peak] > floor
        {
            found.append(peak)
            // The peak's own feet are no occurrences.
            for near in max(peak - 100, 0)..<min(peak + 101, response.count) { response[near] = 0 }
        }
        return found
    }

    /// From the spectrum of recording + i·sound to that of the response that makes the one from the other.
    private static func divide(_ real: inout [Double], _ imaginary: inout [Double]) {
        let count = real.count
        let power = zip(real, imaginary).reduce(0) { $0 + $1.0 * $1.0 + $1.1 * $1.1 } / Double(count)
        for low in 0...count / 2 {
            let high = (count - low) % count
            let recording = (
                (real[low] + real[high]) / 2, (imaginary[low] - imaginary[high]) / 2
            )
            let sound = ((imaginary[low] + imaginary[high]) / 2, (real[high] - real[low]) / 2)
            // Where the sound has next to nothing, there is nothing to be learnt.
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

    /// How much of the sound at one place coincides with that at another.
    private static func overlaps(of sound: [Double], at places: [Int], within count: Int) -> [[Double]] {
        places.map { first in
            places.map { second in
                let end = min(min(first, second) + sound.count, count)
                return (max(first, second)..<max(end, max(first, second)))
                    .reduce(0) { $0 + sound[$1 - first] * sound[$1 - second] }
            }
        }
    }

    /// The gains with which all occurrences together come nearest to the recording.
    private static func solve(_ matrix: [[Double]], _ values: [Double]) -> [Double] {
        var rows = zip(matrix, values).map { $0 + [$1] }
        for pivot in rows.indices {
            // Each place's overlap with itself is the largest: the diagonal is safe to divide by.
            for row in rows.indices where row != pivot {
                let factor = rows[row][pivot] / rows[pivot][pivot]
                for column in rows[row].indices { rows[row][column] -= factor * rows[pivot][column] }
            }
        }
        return rows.indices.map { rows[$0][rows.count] / rows[$0][$0] }
    }
}
