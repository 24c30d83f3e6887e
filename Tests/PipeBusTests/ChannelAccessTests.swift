// SPDX-License-Identifier: MIT
import RealtimeKit
import XCTest

@testable import PipeBus

/// Several channels at once, as a process block reaches them.
@safe final class ChannelAccessTests: XCTestCase {
    private let frameCount = 96
    private let channelCount = 3

    /// Runs a body over inputs and outputs of which every sample is another number, and gives the outputs.
    private func run(
        isFilled: Bool = true, _ body: (borrowing InputChannels, inout OutputChannels) -> Void
    ) -> [[Float]] {
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: 2 * channelCount * frameCount)
        defer { unsafe samples.deallocate() }
        for index in 0..<2 * channelCount * frameCount { unsafe samples[index] = Float(index) }
        let buffers = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 2 * channelCount)
        defer { unsafe buffers.deallocate() }
        for channel in 0..<2 * channelCount {
            unsafe (buffers + channel).initialize(to: samples + channel * frameCount)
        }
        let input = unsafe InputChannels(base: buffers, count: channelCount, frameCount: frameCount)
        var output = unsafe OutputChannels(
            base: buffers + channelCount, count: channelCount, frameCount: frameCount, isFilled: isFilled)
        body(input, &output)
        output.silenceRest()
        return (0..<channelCount).map { channel in
            (0..<frameCount).map { unsafe buffers[channelCount + channel][$0] }
        }
    }

    /// The content of the outputs before anything is written.
    private func initial(_ channel: Int, _ frame: Int) -> Float {
        Float((channelCount + channel) * frameCount + frame)
    }

    func testTwoChannelsAreWrittenAtOnce() {
        var width: Float = 0.25
        let output = run { input, output in
            output.withChannels(2, 0) { left, right in
                XCTAssertEqual([left.count, right.count], [frameCount, frameCount])
                for frame in left.indices {
                    let (mid, side) = (left[frame] + right[frame], left[frame] - right[frame])
                    left[frame] = mid + width * side
                    right[frame] = input[1, frame] - width * side
                }
                width = 0
            }
        }
        for frame in 0..<frameCount {
            let (left, right) = (initial(2, frame), initial(0, frame))
            XCTAssertEqual(output[2][frame], left + right + 0.25 * (left - right))
            XCTAssertEqual(output[0][frame], Float(frameCount + frame) - 0.25 * (left - right))
            XCTAssertEqual(output[1][frame], initial(1, frame), "not asked for")
        }
        XCTAssertEqual(width, 0, "the block reaches what is around it")
    }

    func testSingleSamplesAreReadAndWritten() {
        let output = run { input, output in
            for frame in 0..<output.frameCount {
                output[1, frame] += input[2, frame]
                output[0, frame] = output[2, frame]
            }
        }
        for frame in 0..<frameCount {
            XCTAssertEqual(output[0][frame], initial(2, frame))
            XCTAssertEqual(output[1][frame], initial(1, frame) + Float(2 * frameCount + frame))
            XCTAssertEqual(output[2][frame], initial(2, frame))
        }
    }

    func testAChannelIsFilled() {
        var calls: [Int] = []
        for isFilled in [false, true] {
            calls = []
            let output = run(isFilled: isFilled) { input, output in
                output.fill(1) { frame in
                    calls.append(frame)
                    return 2 * input[0, frame]
                }
            }
            XCTAssertEqual(calls, Array(0..<frameCount), "in order, and each once")
            XCTAssertEqual(output[1], (0..<frameCount).map { 2 * Float($0) })
            XCTAssertEqual(output[0], (0..<frameCount).map { isFilled ? initial(0, $0) : 0 })
        }
    }

    /// A sample that a block does not write is silent, whatever is in the buffers and however the block writes the
    /// rest.
    func testNothingOldIsHeard() {
        let silence = [Float](repeating: 0, count: frameCount)
        XCTAssertEqual(run(isFilled: false) { _, _ in }, [silence, silence, silence])
        let opened = run(isFilled: false) { _, output in
            var samples = output[2]
            samples[3] = 1
            samples = output[2]
            samples[4] += 2
        }
        var expected = silence
        (expected[3], expected[4]) = (1, 2)
        XCTAssertEqual(opened, [silence, silence, expected])
        let single = run(isFilled: false) { _, output in
            XCTAssertEqual(output[1, 3], 0, "what was there before is not seen")
            output[1, 3] += 1
            XCTAssertEqual(output[1, 3], 1)
            output[1, 4] = 2
        }
        XCTAssertEqual(single, [silence, expected, silence])
        let two = run(isFilled: false) { _, output in
            output.fill(0) { _ in 5 }
            output.withChannels(0, 2) { first, second in
                XCTAssertEqual(first[7], 5, "it was filled before")
                (second[3], second[4]) = (1, 2)
            }
        }
        XCTAssertEqual(two, [[Float](repeating: 5, count: frameCount), silence, expected])
    }

    func testAnAnnotatedFunctionMayWriteChannels() {
        let output = run(isFilled: false) { _, output in giveRamp(into: &output, step: 2) }
        XCTAssertEqual(output[0], (0..<frameCount).map { 2 * Float($0) })
        XCTAssertEqual(output[1][..<4], [0, 2, 4, 0])
        XCTAssertEqual(output[2][..<4], [0, -2, 0, 0])
    }

    /// A ring that has less than a cycle leaves silence behind it, or what the block has given before.
    func testARingThatRunsOutLeavesSilence() {
        for isFilled in [false, true] {
            let ring = SampleRing(channelCount: channelCount, minimumCapacity: 200)
            var writer = ring.makeWriter()
            var reader = ring.makeReader()
            XCTAssertTrue(writer.tryWrite([Float](repeating: 1, count: 10 * channelCount).span))
            let output = run(isFilled: isFilled) { _, output in XCTAssertEqual(reader.read(into: &output), 10) }
            for channel in 0..<channelCount {
                for frame in 0..<frameCount {
                    XCTAssertEqual(output[channel][frame], frame < 10 ? 1 : isFilled ? initial(channel, frame) : 0)
                }
            }
        }
    }

    func testAllChannelsOfACycleGoThroughARing() {
        let ring = SampleRing(channelCount: channelCount, minimumCapacity: 200)
        var writer = ring.makeWriter()
        var reader = ring.makeReader()
        // Half a cycle more than fits, so that the ring wraps around and is full once.
        let before = (0..<210 * channelCount).map { Float($0) }
        XCTAssertTrue(writer.tryWrite(before.span))
        reader.discard(frameCount: 200)
        let first = run { input, output in
            XCTAssertTrue(writer.tryWrite(input))
            XCTAssertTrue(writer.tryWrite(input))
            XCTAssertFalse(writer.tryWrite(input), "there is no room for a whole cycle")
            XCTAssertEqual(writer.writableFrames, 256 - 10 - 2 * frameCount)
            XCTAssertEqual(reader.read(into: &output), frameCount)
        }
        for channel in 0..<channelCount {
            for frame in 0..<10 {
                XCTAssertEqual(first[channel][frame], before[(200 + frame) * channelCount + channel])
            }
            for frame in 10..<frameCount {
                XCTAssertEqual(first[channel][frame], Float(channel * frameCount + frame - 10))
            }
        }
        reader.discard(frameCount: frameCount)
        let last = run { _, output in XCTAssertEqual(reader.read(into: &output), 10) }
        for channel in 0..<channelCount {
            for frame in 0..<10 { XCTAssertEqual(last[channel][frame], Float(channel * frameCount + 86 + frame)) }
            for frame in 10..<frameCount { XCTAssertEqual(last[channel][frame], initial(channel, frame), "left alone") }
        }
    }
}

/// The compiler's own check of the audio thread lets a function do this, in debug builds too.
@_noLocks
private func giveRamp(into output: inout OutputChannels, step: Float) {
    output.fill(0) { frame in step * Float(frame) }
    output.withChannels(1, 2) { left, right in
        left[1] = step
        right[1] = -step
    }
    output[1, 2] = output[0, 2]
}
