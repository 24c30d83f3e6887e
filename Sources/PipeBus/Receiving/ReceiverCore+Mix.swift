// SPDX-License-Identifier: MIT
import RealtimeKit

/// Mix levels, and mixing.
extension ReceiverCore {
    /// Points each channel of the mix to silence, to its only block, or to the sum of several.
    @_noLocks
    mutating func mixLanes(frameCount: Int) {
        if isSteady && areGainsAtRest {
            for channel in 0..<width {
                renewInputs(channel, frameCount)
                mixChannel(channel, frameCount)
            }
        } else {
            rampToLevels()
            for channel in 0..<width {
                prepareInputs(channel, frameCount)
                mixChannel(channel, frameCount)
            }
            advanceGains(by: frameCount)
        }
        measureMix(frameCount: frameCount)
        endMetering()
    }

    /// Mixes the lanes of a receiver that hands them over one by one, for its monitor.
    @_noLocks
    mutating func mixSeparateLanes(frameCount: Int) {
        // Lanes may have changed since the last mix: there is none in each cycle.
        areGainsAtRest = false
        rampToLevels()
        for channel in 0..<width {
            prepareInputs(channel, frameCount)
            mixChannel(channel, frameCount)
        }
        advanceGains(by: frameCount)
    }

    @_noLocks
    @inline(never)
    private mutating func rampToLevels() {
        for lane in presentLanes {
            gains.cell(lane).value.left.ramp(to: settings[lane].left, length: rampLength)
            gains.cell(lane).value.right.ramp(to: settings[lane].right, length: rampLength)
        }
    }

    /// Also records whether all gains were at rest in this cycle already: then the inputs of the mix stay for the next
    /// one.
    @_noLocks
    @inline(never)
    private mutating func advanceGains(by frameCount: Int) {
        areGainsAtRest = true
        for lane in presentLanes {
            if !gains[lane].areAtRest { areGainsAtRest = false }
            gains.cell(lane).value.left.advance(by: frameCount)
            gains.cell(lane).value.right.advance(by: frameCount)
        }
    }

    /// Fills in the inputs of a channel of the mix from all lanes that are not silent.
    @_noLocks
    @inline(never)
    private mutating func prepareInputs(_ channel: Int, _ frameCount: Int) {
        let first = channel * laneCount
        let isRight = width == 2 && channel == 1
        var mixed = LaneSet()
        var count = 0
        for lane in presentLanes {
            let block = blocks.block(lane * width + channel, frameCount)
            if block.isSame(as: silence) { continue }
            let gain = isRight ? gains[lane].right : gains[lane].left
            if gain.isSilent { continue }
            mixInputs.set(first + count, to: block, gain)
            count += 1
            mixed.insert(lane)
        }
        mixedLanes[channel] = mixed
    }

    /// Fills in the blocks of this cycle for the inputs of the last one.
    @_noLocks
    @inline(__always)
    private mutating func renewInputs(_ channel: Int, _ frameCount: Int) {
        var input = channel &* laneCount
        for lane in mixedLanes[channel] {
            mixInputs.replace(input, with: blocks.block(lane &* width &+ channel, frameCount))
            input &+= 1
        }
    }

    @_noLocks
    @inline(__always)
    private mutating func mixChannel(_ channel: Int, _ frameCount: Int) {
        let mixed = mixedLanes[channel]
        let first = channel &* laneCount
        if mixed.isEmpty {
            mix.set(channel, to: silence)
        } else if let lane = mixed.only, mixInputs.isUnity(first) {
            // Not copied.
            mix.set(channel, to: blocks.block(lane &* width &+ channel, frameCount))
        } else {
            let sum = scratch.packedBlock(channel, after: laneCount * width, frameCount)
            mixInputs.mix(first, count: mixed.count, into: sum)
            mix.set(channel, to: sum)
        }
    }
}
