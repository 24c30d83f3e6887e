// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTesting

/// Compares received frames with the expected ones. The single frames of a cycle are compared only if the cycle is not
/// right as a whole.
extension PortProbe.Memory {
    mutating func check(_ cycle: AudioCycle, _ input: borrowing InputChannels) {
        var isRight = true
        for channel in 0..<input.count
        where unsafe signal.firstDifference(in: input[channel], frame: frame, channel: channel) != nil {
            isRight = false
        }
        if unsafe isRight && (hasBegun || input[0][0] != 0) {
            if unsafe !hasBegun { unsafe beginSignal(with: input[0][0]) }
            unsafe counts.correct += UInt64(cycle.frameCount)
            unsafe counts.last = input[0][cycle.frameCount - 1]
        } else {
            for index in 0..<cycle.frameCount { unsafe checkFrame(index, cycle, input) }
        }
    }

    private mutating func skipFrame() {
        if unsafe !followsPosition { unsafe frame &-= 1 }
    }

    private mutating func beginSignal(with sample: Float) {
        unsafe hasBegun = true
        unsafe counts.first = sample
    }

    /// `frame` is the expected number of the cycle's first frame; here it is moved so that it fits this one.
    private mutating func checkFrame(_ index: Int, _ cycle: AudioCycle, _ input: borrowing InputChannels) {
        let sample = input[0][index]
        if unsafe !hasBegun {
            if unsafe isSilent(index, input) {
                unsafe counts.leadingSilence += 1
                // An own count begins with the sound.
                unsafe skipFrame()
                return
            }
            if unsafe followsPosition && isPart(frame &+ UInt64(index), index, input) {
                unsafe counts.leadingPart += 1
                return
            }
            unsafe beginSignal(with: sample)
        }
        unsafe counts.last = sample
        let expected = unsafe frame &+ UInt64(index)
        if unsafe isSignal(expected, index, input) {
            unsafe counts.correct += 1
            return
        }
        unsafe noteFault(index, cycle, input, expected: expected)
        if unsafe !followsPosition, let found = unsafe signal.frame(of: sample),
            unsafe isSignal(UInt64(found), index, input)
        {
            unsafe resume(at: found, insteadOf: expected)
            unsafe counts.correct += 1
        } else {
            unsafe counts.wrong += 1
            unsafe wrongRanges.append(from: cycle.position + UInt64(index), to: cycle.position + UInt64(index) + 1)
        }
    }

    /// The signal goes on elsewhere: it left frames out, or went back.
    private mutating func resume(at found: UInt32, insteadOf expected: UInt64) {
        let modulus = unsafe UInt64(signal.modulus)
        let ahead = (UInt64(found) &- expected) & (modulus - 1)
        if unsafe counts.correct > 0 || counts.wrong > 0 {
            if ahead < modulus / 2 { unsafe counts.missing += ahead } else { unsafe counts.repeated += modulus - ahead }
        }
        unsafe frame &+= ahead
    }

    private func isSilent(_ index: Int, _ input: borrowing InputChannels) -> Bool {
        for channel in 0..<input.count where input[channel][index] != 0 { return false }
        return true
    }

    private func isPart(_ number: UInt64, _ index: Int, _ input: borrowing InputChannels) -> Bool {
        var isSilentSomewhere = false
        for channel in 0..<input.count where unsafe input[channel][index] != signal.value(number, channel: channel) {
            if input[channel][index] != 0 { return false }
            isSilentSomewhere = true
        }
        return isSilentSomewhere
    }

    private func isSignal(_ number: UInt64, _ index: Int, _ input: borrowing InputChannels) -> Bool {
        for channel in 0..<input.count where unsafe input[channel][index] != signal.value(number, channel: channel) {
            return false
        }
        return true
    }

    private mutating func noteFault(
        _ index: Int, _ cycle: AudioCycle, _ input: borrowing InputChannels, expected: UInt64
    ) {
        guard unsafe counts.wrong == 0 && counts.missing == 0 && counts.repeated == 0 else { return }
        unsafe counts.faultPosition = cycle.position + UInt64(index)
        for channel in 0..<input.count where unsafe input[channel][index] != signal.value(expected, channel: channel) {
            unsafe counts.faultChannel = channel
            unsafe counts.faultSample = input[channel][index]
            unsafe counts.faultExpected = signal.value(expected, channel: channel)
            return
        }
    }
}
