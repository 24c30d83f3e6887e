// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTesting
import XCTest

@testable import PipeBusCommand

final class EchoSearchTests: XCTestCase {
    /// Something like a voice: a few moving tones that come and go, over a little noise.
    private let voice: [Float] = (0..<20_000).map { frame in
        let time = Double(frame) / 48_000
        let loudness = pow(sin(2 * .pi * 4 * time), 2)
        let tone = sin(2 * .pi * (200 + 30 * sin(2 * .pi * 3 * time)) * time) + 0.5 * sin(2 * .pi * 1700 * time)
        return Float(0.3 * loudness * tone) + 0.001
            * TestSignal(.noise(seed: 9)).sample(frame: UInt64(frame), channel: 0)
    }

    private func recording(_ occurrences: [(place: Int, gain: Float)], count: Int = 60_000) -> [Float] {
        var samples = [Float](repeating: 0, count: count)
        for (place, gain) in occurrences {
            for frame in voice.indices where place + frame < count { samples[place + frame] += gain * voice[frame] }
        }
        return samples
    }

    func testItFindsEveryOccurrenceAndItsGain() {
        let truth: [(place: Int, gain: Float)] = [(1234, 1), (13_234, 0.4), (25_234, 0.16)]
        let search = EchoSearch(of: voice, in: recording(truth), count: 3)
        XCTAssertEqual(search.occurrences.map(\.place), truth.map(\.place))
        for (found, expected) in zip(search.occurrences, truth) {
            XCTAssertEqual(found.gain, Double(expected.gain), accuracy: 1e-4)
        }
        XCTAssertLessThan(search.remainder, 1e-6)
    }

    func testNoEchoCanBeToldFromATone() {
        let noise = TestSignal(.noise(seed: 3))
        let sounds: [(sound: [Float], canBeFound: Bool)] = [
            (voice, true), (noise.samples(count: 20_000), true),
            ((0..<48_000).map { 0.3 * Float(sin(2 * .pi * 440 * Double($0) / 48_000)) }, false),
        ]
        for (number, sound) in sounds.enumerated() {
            XCTAssertEqual(
                EchoSearch.canFindEchoes(of: sound.sound, delay: 12_000, feedback: 0.4), sound.canBeFound, "\(number)")
        }
    }

    func testItFindsTheFirstFrameAndAnEchoTurnedUpsideDown() {
        let search = EchoSearch(of: voice, in: recording([(0, 0.5), (5000, -0.25)]), count: 2)
        XCTAssertEqual(search.occurrences.map(\.place), [0, 5000])
        XCTAssertEqual(search.occurrences[1].gain, -0.25, accuracy: 1e-4)
    }

    func testItFindsNoneWhereThereIsNone() {
        XCTAssertEqual(EchoSearch(of: voice, in: recording([]), count: 4).occurrences, [])
        // Another sound: the occurrences found in it explain next to nothing.
        let noise = TestSignal(.noise(seed: 2)).samples(count: 60_000)
        XCTAssertGreaterThan(EchoSearch(of: voice, in: noise, count: 4).remainder, 0.99)
    }

    func testASoundWithoutAnEchoHasOnePlace() {
        let search = EchoSearch(of: voice, in: recording([(700, 1)]), count: 4)
        XCTAssertEqual(search.occurrences.map(\.place), [700])
    }

    func testTheTransformIsWhatItsDefinitionSays() {
        let fourier = Fourier(minimumCount: 10)
        XCTAssertEqual(fourier.count, 16)
        let noise = TestSignal(.noise(seed: 4)).samples(count: 32).map(Double.init)
        var real = Array(noise[..<16])
        var imaginary = Array(noise[16...])
        let (x, y) = (real, imaginary)
        fourier.transform(&real, &imaginary)
        for index in 0..<16 {
            let angles = (0..<16).map { -2 * Double.pi * Double($0 * index) / 16 }
            let sum = angles.enumerated().reduce((0.0, 0.0)) { sum, term in
                let (frame, angle) = term
                return (
                    sum.0 + x[frame] * cos(angle) - y[frame] * sin(angle),
                    sum.1 + x[frame] * sin(angle) + y[frame] * cos(angle)
                )
            }
            XCTAssertEqual(real[index], sum.0, accuracy: 1e-12)
            XCTAssertEqual(imaginary[index], sum.1, accuracy: 1e-12)
        }
        fourier.transform(&imaginary, &real)
        for index in 0..<16 { XCTAssertEqual(real[index] / 16, x[index], accuracy: 1e-12) }
    }
}
