// SPDX-License-Identifier: MIT
import Glibc

/// The expected output of a mixing receiver, computed sample by sample in double precision from the description alone:
/// the independent reference of the property tests.
struct ReceiverModel {
    struct Channel {
        var fade = 0
        var last = 0.0
        var tail = 0.0
        var tailPosition = Int.max
        var history: [Double] = []
        /// Whether each of these was being faded.
        var fades: [Bool] = []
        /// Number of cycles in which a link has given zeros, and nothing before them.
        var zeroCycles = 0
    }

    struct Lane {
        var channels: [Channel]
        var isLinked = false
        var isLeaving = false
        var isThere = false
        /// Another source has come since the last cycle.
        var isNew = false
        var latency = 0
        var isAligned = false
        /// The input since more latency was held than needed, or since the source came, cycle by cycle.
        var heldBlocks: [(frames: Int, peak: Double)] = []
        var hasComeWhileHeld = false
        var origin = 0
        var delay = 0
        var oldDelay = 0
        var oldOrigin = 0
        var crossfade = Int.max
        var framesWithoutInput = Int.max / 2
        var targetDelay = 0
        /// The gains of the left and the right side.
        var gains: [(start: Double, end: Double, position: Int, length: Int)]
        var wantedGains: [Double]
    }

    var lanes: [Lane]
    let width: Int
    let fadeLength: Int
    let rampLength: Int
    let crossfadeLength: Int
    /// The latency that the aligned lanes share.
    var held = 0
    var isHolding = false
    var realignments: UInt64 = 0

    init(lanes: Int, width: Int, fadeLength: Int, sampleRate: Int) {
        self.width = width
        self.fadeLength = fadeLength
        rampLength = sampleRate / 50
        crossfadeLength = sampleRate / 100
        self.lanes = Array(
            repeating: Lane(
                channels: Array(repeating: Channel(), count: width), gains: [(1, 1, 0, 0), (1, 1, 0, 0)],
                wantedGains: [1, 1]),
            count: lanes)
    }

    private func curve(_ position: Int, _ length: Int) -> Double {
        position >= length ? 1 : 0.5 - 0.5 * cos(.pi * Double(position) / Double(length))
    }

    /// Grows at once, and shrinks when all that would be left out is silent.
    private mutating func align() {
        let needed = lanes.filter { $0.isLinked && $0.isAligned }.map(\.latency).max() ?? 0
        let goingOn = lanes.indices.filter { lanes[$0].isLinked && lanes[$0].isAligned && !lanes[$0].isNew }
        if needed > held {
            held = needed
            if goingOn.contains(where: { held - lanes[$0].latency != lanes[$0].targetDelay }) { realignments += 1 }
        } else if needed < held {
            if !isHolding {
                for index in lanes.indices {
                    lanes[index].heldBlocks = []
                    lanes[index].hasComeWhileHeld = false
                }
            }
            if canShrink(to: needed, goingOn) {
                held = needed
                for index in goingOn { lanes[index].delay = held - lanes[index].latency }
            }
        }
        for index in lanes.indices where lanes[index].isLinked {
            lanes[index].targetDelay = lanes[index].isAligned ? held - lanes[index].latency : 0
        }
        isHolding = held > needed
    }

    private func canShrink(to needed: Int, _ goingOn: [Int]) -> Bool {
        guard !lanes.contains(where: { $0.isThere && !$0.isLinked }) else { return false }
        return goingOn.allSatisfy { index in
            let lane = lanes[index]
            let quiet = lane.heldBlocks.reversed().prefix { $0.peak <= 1e-5 }
            let frames = quiet.reduce(0) { $0 + $1.frames }
            let isAllQuiet = quiet.count == lane.heldBlocks.count && lane.hasComeWhileHeld
            return lane.crossfade >= crossfadeLength
                && (isAllQuiet || frames >= max(lane.delay, needed - lane.latency))
        }
    }

    /// Another source comes to a lane.
    private mutating func startSource(_ index: Int) {
        for channel in 0..<width {
            if lanes[index].channels[channel].fade > 0 {
                lanes[index].channels[channel].tail = lanes[index].channels[channel].last
                lanes[index].channels[channel].tailPosition = 0
            }
            lanes[index].channels[channel].fade = 0
            lanes[index].channels[channel].zeroCycles = 0
        }
        if lanes[index].framesWithoutInput < lanes[index].delay {
            lanes[index].oldDelay = lanes[index].delay
            lanes[index].oldOrigin = lanes[index].origin
            lanes[index].crossfade = 0
        } else {
            lanes[index].crossfade = Int.max
        }
        lanes[index].delay = lanes[index].targetDelay
        lanes[index].origin = lanes[index].channels[0].history.count
        lanes[index].heldBlocks = []
        lanes[index].hasComeWhileHeld = true
        for side in 0..<2 {
            lanes[index].gains[side] = (lanes[index].wantedGains[side], lanes[index].wantedGains[side], 0, 0)
        }
    }

    /// One cycle: what comes on each channel of each lane, `nil` where nothing does.
    ///
    /// - Returns: the mix and how far off it may be.
    mutating func run(
        _ frames: Int, _ samples: (_ lane: Int, _ channel: Int) -> [Float]?
    ) -> (mix: [[Double]], tolerance: [[Double]]) {
        var mix = Array(repeating: Array(repeating: 0.0, count: frames), count: width)
        var tolerance = mix
        for index in lanes.indices where !lanes[index].isLinked && !isRinging(lanes[index]) {
            lanes[index].isThere = false
        }
        align()
        for index in lanes.indices where lanes[index].isNew {
            lanes[index].isNew = false
            startSource(index)
        }
        for index in lanes.indices where lanes[index].isThere {
            beginCycle(index)
            var isAudible = false
            for channel in 0..<width {
                let isLeaving = lanes[index].isLeaving
                let input = lanes[index].channels[channel].heard(
                    lanes[index].isLinked ? samples(index, channel) : nil, fadeLength, isLeaving)
                if lanes[index].channels[channel].isAudible(input != nil, self, isLeaving) {
                    isAudible = true
                }
                for frame in 0..<frames {
                    let (sample, isFaded) = step(index, channel, input.map { Double($0[frame]) }, frame, frames)
                    let part = gain(lanes[index].gains[width == 2 ? channel : 0], frame) * sample
                    mix[channel][frame] += part
                    // The curve of a fade is off by 2e-6 at most, and there may be two, and a crossfade.
                    tolerance[channel][frame] += abs(part) * 1e-6 + (isFaded ? 6e-6 : 0)
                }
            }
            endCycle(index, isAudible: isAudible, frames)
        }
        return (mix, tolerance)
    }

    /// Whether anything may still come out of a lane without a source. Without a fade nothing dies away.
    private func isRinging(_ lane: Lane) -> Bool {
        fadeLength > 0 || lane.delay > 0 || lane.crossfade < crossfadeLength
    }

    private mutating func beginCycle(_ index: Int) {
        if lanes[index].targetDelay != lanes[index].delay, lanes[index].crossfade >= crossfadeLength {
            lanes[index].oldDelay = lanes[index].delay
            lanes[index].oldOrigin = lanes[index].origin
            lanes[index].delay = lanes[index].targetDelay
            lanes[index].crossfade = 0
        }
        for side in 0..<2 where lanes[index].gains[side].end != lanes[index].wantedGains[side] {
            lanes[index].gains[side] = (
                gain(lanes[index].gains[side], 0), lanes[index].wantedGains[side], 0, rampLength
            )
        }
    }

    private mutating func endCycle(_ index: Int, isAudible: Bool, _ frames: Int) {
        let peak = lanes[index].channels.flatMap { $0.history.suffix(frames) }.map(abs).max() ?? 0
        lanes[index].heldBlocks.append((frames, peak))
        if lanes[index].crossfade < crossfadeLength { lanes[index].crossfade += frames }
        lanes[index].framesWithoutInput = isAudible ? 0 : min(lanes[index].framesWithoutInput, Int.max / 2) + frames
        for side in 0..<2 {
            lanes[index].gains[side].position += frames
            if lanes[index].gains[side].position >= lanes[index].gains[side].length {
                lanes[index].gains[side] = (lanes[index].gains[side].end, lanes[index].gains[side].end, 0, 0)
            }
        }
        if !lanes[index].isLinked, !isAudible, lanes[index].framesWithoutInput >= lanes[index].delay {
            lanes[index].isThere = false
        }
    }

    private func gain(_ ramp: (start: Double, end: Double, position: Int, length: Int), _ frame: Int) -> Double {
        let position = ramp.position + frame
        return position >= ramp.length
            ? ramp.end : ramp.start + (ramp.end - ramp.start) * Double(position) / Double(ramp.length)
    }

    private mutating func step(
        _ index: Int, _ channel: Int, _ input: Double?, _ frame: Int, _ frames: Int
    ) -> (Double, Bool) {
        var state = lanes[index].channels[channel]
        var sample = 0.0
        var isFaded = false
        if let input {
            if lanes[index].isLeaving, fadeLength > 0 {
                state.fade = max(state.fade - 1, 0)
                isFaded = true
            } else if state.fade < fadeLength {
                state.fade += 1
                isFaded = true
            }
            sample = input * curve(state.fade, fadeLength)
        } else {
            if state.fade > 0 {
                state.tail = state.last
                state.tailPosition = 0
            }
            state.fade = 0
        }
        if state.tailPosition < fadeLength {
            state.tailPosition += 1
            sample += state.tail * (1 - curve(state.tailPosition, fadeLength))
            isFaded = true
        }
        state.last = sample
        state.history.append(sample)
        state.fades.append(isFaded)
        lanes[index].channels[channel] = state
        let now = state.history.count - 1
        func tap(_ delay: Int, _ origin: Int) -> Double { now - delay < origin ? 0 : state.history[now - delay] }
        let new = tap(lanes[index].delay, lanes[index].origin)
        let place = now - lanes[index].delay
        guard lanes[index].crossfade < crossfadeLength else { return (new, place >= 0 && state.fades[place]) }
        let weight = curve(lanes[index].crossfade + frame + 1, crossfadeLength)
        let old = tap(lanes[index].oldDelay, lanes[index].oldOrigin)
        return (old * (1 - weight) + new * weight, true)
    }
}

extension ReceiverModel.Channel {
    /// What comes in a cycle: a fade-in waits for three cycles of zeros at most.
    fileprivate mutating func heard(_ input: [Float]?, _ fadeLength: Int, _ isLeaving: Bool) -> [Float]? {
        guard let input else {
            zeroCycles = 0
            return nil
        }
        guard fadeLength > 0, fade == 0, !isLeaving, zeroCycles < 3, input.allSatisfy({ $0 == 0 }) else { return input }
        zeroCycles += 1
        return nil
    }

    /// Whether anything can be heard in a cycle that begins now.
    fileprivate func isAudible(_ hasInput: Bool, _ model: ReceiverModel, _ isLeaving: Bool) -> Bool {
        let isHushed = isLeaving && model.fadeLength > 0 && fade == 0
        return hasInput && !isHushed || tailPosition < model.fadeLength || !hasInput && fade > 0
    }
}
