// SPDX-License-Identifier: MIT
import CAudioKernels
import XCTest

final class MixKernelTests: KernelTestCase {
    /// One source of a mix with what is needed to work out its part in double precision.
    private struct Source {
        let samples: [Float]
        let memory: GuardedSamples
        var start: Float
        var end: Float
        var position: UInt32
        var length: UInt32

        init(_ samples: [Float], start: Float, end: Float, position: UInt32 = 0, length: UInt32 = 0, offset: Int = 8) {
            self.samples = samples
            self.memory = GuardedSamples(samples, offset: offset)
            self.start = start
            self.end = end
            self.position = position
            self.length = length
        }

        var input: cak_input {
            unsafe cak_input(
                samples: memory.pointer, start: start, end: end, position: position, length: length)
        }

        func contribution(_ frame: Int) -> Double {
            let place = Double(position) + Double(frame)
            let isRamping = place < Double(length)
            let gain =
                isRamping
                ? Double(start) + (Double(end) - Double(start)) * place / Double(length) : Double(end)
            return gain * Double(samples[frame])
        }
    }

    private func mix(_ sources: [Source], frames: Int) -> [Float] {
        let inputs = unsafe sources.map { unsafe $0.input }
        return unsafe result(of: frames) { unsafe cak_mix($0, inputs, UInt32(inputs.count), UInt32(frames)) }
    }

    /// No sample is off by more than a millionth of what was added up.
    private func check(_ sources: [Source], frames: Int, _ message: String, line: UInt = #line) {
        let mixed = mix(sources, frames: frames)
        for frame in 0..<frames {
            var sum = 0.0
            var size = 0.0
            for source in sources {
                let part = source.contribution(frame)
                sum += part
                size += abs(part)
            }
            // The smallest numbers have no millionths.
            guard abs(Double(mixed[frame]) - sum) <= 1e-6 * size + 1e-37 else {
                XCTFail("\(message): frame \(frame) of \(frames) is \(mixed[frame]), not \(sum)", line: line)
                return
            }
        }
    }

    private func randomGain() -> Float {
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: 0
        case 1: 1
        default: Float.random(in: 0...2, using: &numbers)
        }
    }

    private func randomSource(frames: Int) -> Source {
        var length: UInt32 = 0
        var position: UInt32 = 0
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: break
        case 1:
            // Over before it begins.
            length = .random(in: 0...300, using: &numbers)
            position = length + .random(in: 0...3, using: &numbers)
        case 2:
            // The longest there is, somewhere.
            length = .max - .random(in: 0...3, using: &numbers)
            position = .random(in: 0..<length, using: &numbers)
        case 3:
            length = .max
            position = .max - .random(in: 0...100, using: &numbers)
        default:
            // Somewhere in a ramp, whose end often lies within these frames.
            length = .random(in: 1...500, using: &numbers)
            position = .random(in: 0..<length, using: &numbers)
        }
        return Source(
            noise(frames), start: randomGain(), end: randomGain(), position: position, length: length,
            offset: .random(in: 1...20, using: &numbers))
    }

    func testRandomMixes() {
        forEachImplementation { name in
            for count in 0...64 {
                for _ in 0..<(count < 9 ? 12 : 1) {
                    let frames = randomFrames()
                    check((0..<count).map { _ in randomSource(frames: frames) }, frames: frames, "\(name), \(count)")
                }
            }
        }
    }

    func testConstantGainsAtEveryLength() {
        forEachImplementation { name in
            for frames in 0...140 {
                let sources = (0..<3).map { _ in Source(noise(frames), start: 9, end: randomGain()) }
                check(sources, frames: frames, name)
            }
        }
    }

    func testAdditionIsExactAtEveryLength() {
        forEachImplementation { name in
            for frames in 0...140 {
                let (old, new) = (noise(frames), noise(frames))
                let memory = GuardedSamples(new, offset: 3)
                let sum = unsafe result(of: frames) { destination in
                    for frame in 0..<frames { unsafe destination[frame] = old[frame] }
                    unsafe cak_add(destination, memory.pointer, UInt32(frames))
                }
                XCTAssertEqual(sum, zip(old, new).map(+), "\(name), \(frames)")
            }
        }
    }

    /// One source, so that an error at the quiet end has nothing to hide behind.
    func testRampsToAndFromSilenceAtEveryLength() {
        forEachImplementation { name in
            for length in UInt32(1)...140 {
                for (start, end) in [(Float(0.7), Float(0)), (0, 0.7), (-0.7, 0), (1, 0.999)] {
                    let source = Source(noise(150), start: start, end: end, length: length)
                    check([source], frames: 150, "\(name), \(start) to \(end) in \(length)")
                }
            }
            for length in [UInt32(48_000), 20_000_000, .max] {
                for (start, end) in [(Float(1), Float(0)), (0, 1)] {
                    for position in [0, length / 2, length - 200, length - 40] {
                        let source = Source(noise(200), start: start, end: end, position: position, length: length)
                        check([source], frames: 200, "\(name), \(start) to \(end) in \(length) from \(position)")
                    }
                }
            }
        }
    }

    func testTheGainAfterARampIsExactlyItsEnd() {
        forEachImplementation { name in
            for frames in [7, 30, 64] {
                for _ in 0..<200 {
                    let length = UInt32.random(in: 4...200, using: &numbers)
                    let end = Float.random(in: 0.1...2, using: &numbers)
                    let source = Source(noise(frames), start: 0.3, end: end, position: length - 4, length: length)
                    let over = mix([source], frames: frames)[4...]
                    XCTAssertEqual(Array(over), source.samples[4...].map { end * $0 }, "\(name), \(frames)")
                }
            }
        }
    }

    func testOneSourceAtGainOneIsCopiedBitByBit() {
        let special: [Float] = [
            -0.0, .leastNonzeroMagnitude, -.leastNormalMagnitude, .infinity, .nan, .signalingNaN, 1, -1,
        ]
        forEachImplementation { name in
            for frames in [0, 1, 5, 8, 31, 64, 130] {
                let samples = (0..<frames).map { special[$0 % special.count] }
                for source in [
                    Source(samples, start: 0.5, end: 1),
                    Source(samples, start: 0.5, end: 1, position: 90, length: 90),
                    Source(samples, start: 1, end: 1, position: 3, length: 90),
                ] {
                    let mixed = mix([source], frames: frames)
                    XCTAssertEqual(mixed.map(\.bitPattern), samples.map(\.bitPattern), "\(name), \(frames)")
                }
            }
        }
    }

    func testWhatIsNotANumberStaysInItsFrame() {
        forEachImplementation { name in
            for frames in [3, 20, 64, 100] {
                for (place, bad) in [(0, Float.nan), (frames / 2, .infinity), (frames - 1, -.infinity)] {
                    var sources = (0..<4).map { _ in Source(noise(frames), start: 1, end: 0.5, length: 50) }
                    let clean = mix(sources, frames: frames)
                    var samples = sources[2].samples
                    samples[place] = bad
                    sources[2] = Source(samples, start: 1, end: 0.5, length: 50)
                    let mixed = mix(sources, frames: frames)
                    XCTAssertEqual(mixed[place].isNaN, bad.isNaN, name)
                    if !bad.isNaN { XCTAssertEqual(mixed[place], bad, name) }
                    for frame in 0..<frames where frame != place {
                        XCTAssertEqual(mixed[frame], clean[frame], "\(name), frame \(frame)")
                    }
                }
            }
        }
    }

    func testNoSourcesAreSilence() {
        for frames in [0, 1, 64, 3000] {
            XCTAssertEqual(mix([], frames: frames), [Float](repeating: 0, count: frames))
        }
    }

    /// For the thread sanitizer: a client may be made while another one's audio runs.
    func testTheImplementationMayBeChosenWhileAMixRuns() {
        let isDone = expectation(description: "chosen")
        let thread = Thread {
            for _ in 0..<1000 { cak_prepare() }
            isDone.fulfill()
        }
        thread.start()
        let source = Source(noise(100), start: 0, end: 0.5)
        for _ in 0..<100 { check([source, source], frames: 100, "while it is chosen") }
        wait(for: [isDone], timeout: 10)
    }
}
