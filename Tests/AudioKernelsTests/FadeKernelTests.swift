// SPDX-License-Identifier: MIT
import CAudioKernels
import XCTest

final class FadeKernelTests: KernelTestCase {
    /// A piece of a fade.
    private struct Piece {
        let frames: Int
        let position: UInt32
        let length: UInt32

        /// How far the fade is in a frame, 1 from its end on.
        func curve(_ frame: Int) -> Double {
            let step = Double(position) + Double(frame) + 1
            return step >= Double(length) ? 1 : 0.5 - 0.5 * cos(.pi * step / Double(length))
        }

        func isOver(_ frame: Int) -> Bool {
            UInt64(position) + UInt64(frame) + 1 >= UInt64(length)
        }
    }

    /// Pieces from everywhere: the beginning, the middle and the end of fades as short and as long as they come.
    private func pieces() -> [Piece] {
        var pieces: [Piece] = []
        for length in [UInt32(0), 1, 2, 3, 63, 64, 65, 240] {
            for frames in [0, 1, 7, 8, 64, 65, 130] {
                pieces.append(Piece(frames: frames, position: 0, length: length))
            }
        }
        for _ in 0..<60 {
            let length = UInt32.random(in: 0...500, using: &numbers)
            let position = UInt32.random(in: 0...(length + 5), using: &numbers)
            pieces.append(Piece(frames: randomFrames(), position: position, length: length))
        }
        for length in [UInt32(48_000), 20_000_000, .max] {
            for position in [0, length / 3, length - 150, length - 1, .max] {
                pieces.append(Piece(frames: 200, position: position, length: length))
            }
        }
        return pieces
    }

    /// Runs a kernel over all pieces. `expected` has the value and whether it must be exact; `inPlace` numbers the
    /// source that is also the destination, if one is.
    private func check(
        sources count: Int, line: UInt = #line,
        expected: (Piece, [[Float]], Int) -> (value: Double, isExact: Bool),
        kernel: (UnsafeMutablePointer<Float>, [UnsafeMutablePointer<Float>], Piece) -> Void
    ) {
        forEachImplementation { name in
            for piece in pieces() {
                let sources = (0..<count).map { _ in noise(piece.frames) }
                for inPlace in -1..<count {
                    let memory = sources.map { GuardedSamples($0, offset: .random(in: 1...20, using: &numbers)) }
                    let mixed = unsafe result(of: piece.frames, line: line) { destination in
                        var pointers = unsafe memory.map { unsafe $0.pointer }
                        if inPlace >= 0 {
                            for frame in 0..<piece.frames { unsafe destination[frame] = sources[inPlace][frame] }
                            unsafe pointers[inPlace] = destination
                        }
                        unsafe kernel(destination, pointers, piece)
                    }
                    for frame in 0..<piece.frames {
                        let wanted = expected(piece, sources, frame)
                        let tolerance = wanted.isExact ? 0 : 2e-6
                        guard abs(Double(mixed[frame]) - wanted.value) <= tolerance else {
                            XCTFail(
                                "\(name), \(piece), frame \(frame): \(mixed[frame]) instead of \(wanted)", line: line)
                            return
                        }
                    }
                }
            }
        }
    }

    func testFadeIn() {
        unsafe check(sources: 1) { piece, sources, frame in
            (piece.curve(frame) * Double(sources[0][frame]), piece.isOver(frame))
        } kernel: { destination, sources, piece in
            unsafe cak_fade_in(destination, sources[0], UInt32(piece.frames), piece.position, piece.length)
        }
    }

    func testFadeOut() {
        unsafe check(sources: 1) { piece, sources, frame in
            ((1 - piece.curve(frame)) * Double(sources[0][frame]), piece.isOver(frame))
        } kernel: { destination, sources, piece in
            unsafe cak_fade_out(destination, sources[0], UInt32(piece.frames), piece.position, piece.length)
        }
    }

    func testDecay() {
        unsafe check(sources: 0) { piece, _, frame in
            ((1 - piece.curve(frame)) * -0.75, piece.isOver(frame))
        } kernel: { destination, _, piece in
            unsafe cak_decay(destination, -0.75, UInt32(piece.frames), piece.position, piece.length)
        }
    }

    func testCrossfade() {
        unsafe check(sources: 2) { piece, sources, frame in
            let curve = piece.curve(frame)
            let value = (1 - curve) * Double(sources[0][frame]) + curve * Double(sources[1][frame])
            return (value, piece.isOver(frame))
        } kernel: { destination, sources, piece in
            unsafe cak_crossfade(
                destination, sources[0], sources[1], UInt32(piece.frames), piece.position, piece.length)
        }
    }

    func testACrossfadeBetweenTheSameIsBitExact() {
        forEachImplementation { name in
            let samples = noise(200)
            let from = GuardedSamples(samples)
            let to = GuardedSamples(samples, offset: 13)
            let mixed = unsafe result(of: 200) { unsafe cak_crossfade($0, from.pointer, to.pointer, 200, 10, 300) }
            XCTAssertEqual(mixed, samples, name)
        }
    }

    /// A fade that is cut up into cycles of any length is the same fade.
    func testPiecesJoinWithoutAStep() {
        forEachImplementation { name in
            var ones = [Float](repeating: 1, count: 1000)
            var done = 0
            while done < 1000 {
                let frames = min(Int.random(in: 1...90, using: &numbers), 1000 - done)
                unsafe ones.withUnsafeMutableBufferPointer { buffer in
                    let start = unsafe buffer.baseAddress! + done
                    unsafe cak_fade_in(start, start, UInt32(frames), UInt32(done), 900)
                }
                done += frames
            }
            for frame in 1..<1000 {
                let step = Double(ones[frame]) - Double(ones[frame - 1])
                // The steepest step of the curve, and what rounding adds.
                XCTAssert(step > -1e-6 && step < .pi / 2 / 900 + 1e-6, "\(name), frame \(frame): \(step)")
            }
        }
    }

    func testCopyIsBitExactAtEveryLength() {
        forEachImplementation { name in
            for frames in 0...140 { unsafe checkCopy(of: frames, name) { unsafe cak_copy($0, $1, $2) } }
        }
    }

    /// Whole cache lines go another way than what is left at both ends, so every length at every place in a line.
    func testPuttingAwayIsBitExactAtEveryLength() {
        forEachImplementation { name in
            for frames in Array(0...140) + [1000, 1024, 5000] {
                for _ in 0..<8 { unsafe checkCopy(of: frames, name) { unsafe cak_copy_uncached($0, $1, $2) } }
            }
        }
    }

    private func checkCopy(
        of frames: Int, _ name: String,
        _ kernel: (UnsafeMutablePointer<Float>, UnsafePointer<Float>, UInt32) -> Void
    ) {
        let samples = noise(frames).map { $0 > 0.9 ? Float.nan : $0 }
        let memory = GuardedSamples(samples, offset: 5)
        let copy = unsafe result(of: frames) { unsafe kernel($0, memory.pointer, UInt32(frames)) }
        XCTAssertEqual(copy.map(\.bitPattern), samples.map(\.bitPattern), "\(name), \(frames)")
    }
}
