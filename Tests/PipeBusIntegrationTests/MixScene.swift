// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTesting
import SeededRandom

/// A receiver that is another one each time, and what there is for it to mix.
struct MixScene {
    private let stage: Stage
    private let hearing = Hearing()
    private var random: SeededGenerator
    private let givers: [MixGiver]
    /// By the givers' places. They last from receiver to receiver, as the receiver's memory does.
    private var levels: [Int: Source.Level] = [:]
    private var connected: Set<Int> = []

    private var receiver: ReceiverPort!
    private var width = 1
    private var panLaw = PanLaw.constantPower
    /// The oldest sound that is aligned; `nil`: none is.
    private var capacity: Int?
    private(set) var comparedFrames = 0

    init(_ stage: Stage, seed: UInt64) async throws {
        self.stage = stage
        var random = SeededGenerator(seed: seed)
        var givers: [MixGiver] = []
        for (number, channels) in [1, 1, 1, 2, 2, 2, 3, 3].enumerated() {
            let latency = [0, Int.random(in: 1...900, using: &random)].randomElement(using: &random)!
            givers.append(try await .sender(on: stage, number, channels: channels, latency: latency))
        }
        givers.append(try await givers[3].inverted(on: stage, latency: 37))
        self.givers = givers
        self.random = random
    }

    var description: String {
        let sources = connected.sorted().map { "\(givers[$0].channels) channels, \(givers[$0].latency) frames late" }
        return "\(width) channels, \(panLaw), capacity \(capacity ?? -1), \(sources), \(levels)"
    }

    // MARK: What happens

    mutating func open() async throws {
        width = [1, 2, 2, 3].randomElement(using: &random)!
        panLaw = PanLaw.allCases.randomElement(using: &random)!
        capacity = [nil, 500, 48_000].randomElement(using: &random)!
        let fade = [0, 1, 5, 20].randomElement(using: &random)!
        receiver = try await hearing.mixed(
            on: stage.taker, channels: .channels(width), lanes: 5,
            alignment: capacity.map { .synchronized(capacity: $0) } ?? .immediate,
            fade: .duration(.milliseconds(fade)), panLaw: panLaw)
    }

    mutating func close() async {
        await receiver.close()
        connected = []
    }

    /// Connects, disconnects and turns knobs, in the middle of each other.
    mutating func change() async throws {
        for (number, giver) in givers.enumerated().shuffled(using: &random) where giver.fits(width) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where connected.contains(number):
                try await stage.stepping(64) { [stage, receiver] in
                    try await stage.taker.disconnect(giver.nodeName, from: receiver!)
                }
                connected.remove(number)
            case 0, 1:
                guard !connected.contains(number), connected.count < 5 else { continue }
                try await stage.taker.connect(giver.nodeName, to: receiver)
                connected.insert(number)
            default:
                guard connected.contains(number) else { continue }
                let level = Source.Level(
                    volume: [0, 1, Double.random(in: 0...1, using: &random)].randomElement(using: &random)!,
                    pan: [-1, 0, 1, Double.random(in: -1...1, using: &random)].randomElement(using: &random)!,
                    isMuted: Int.random(in: 0..<8, using: &random) == 0,
                    isSoloed: Int.random(in: 0..<8, using: &random) == 0)
                try await receiver.setLevel(level, for: giver.id)
                levels[number] = level
            }
            if Bool.random(using: &random) { try await stage.step(Int.random(in: 16...600, using: &random)) }
        }
    }

    // MARK: What must come of it

    /// Waits until nothing is on its way to something else, and looks at some cycles.
    ///
    /// - Returns: what is wrong.
    mutating func compare() async throws -> String? {
        try await receiver.reports(latencies: connected.map { givers[$0].latency })
        try await stage.step(1000, cycles: 5)
        hearing.forget()
        let frames = (0..<6).map { _ in Int.random(in: 16...700, using: &random) }
        try await stage.graph.step(frames.map { ($0, 1) })
        let moments = hearing.moments
        // The control side's values are those of the audio thread, also for latency that is held for a disconnected
        // source.
        for source in try await receiver.sources
        where source.isAligned && source.latency.frames + source.delay.frames != held(moments) {
            return "\(source.title) waits \(source.delay), and the mix is \(held(moments)) frames old"
        }
        guard !connected.isEmpty else { return moments.isEmpty ? nil : "the block was called for nobody" }
        guard moments.map(\.cycle.frameCount) == frames else { return "cycles of \(moments.map(\.cycle.frameCount))" }
        for moment in moments {
            if let fault = compare(moment) { return fault }
            comparedFrames += moment.cycle.frameCount
        }
        return nil
    }

    /// How old the mix is, in frames.
    private func held(_ moments: [Hearing.Moment]) -> Int {
        moments.last.map { Int($0.start - ($0.timestamp?.position ?? 0)) } ?? 0
    }

    private func compare(_ moment: Hearing.Moment) -> String? {
        let aligned = connected.map { givers[$0].latency }.filter { $0 <= capacity ?? -1 }
        let held = held([moment])
        guard held >= aligned.max() ?? 0, held <= givers.map(\.latency).filter({ $0 <= capacity ?? -1 }).max() ?? 0
        else {
            return "the mix at \(moment.start) is \(held) frames old"
        }
        let isAnySoloed = connected.contains { levels[$0]?.isSoloed == true }
        let parts = connected.map { number in
            let giver = givers[number]
            let gains = (levels[number] ?? Source.Level()).expectedGains(
                width: width, isMono: giver.channels == 1, panLaw: panLaw, isAnySoloed: isAnySoloed)
            let delay = giver.latency <= capacity ?? -1 ? held - giver.latency : 0
            return (giver, gains, delay)
        }
        for channel in 0..<width {
            for frame in 0..<moment.cycle.frameCount {
                var sum = 0.0
                var magnitude = 0.0
                for (giver, gains, delay) in parts {
                    let position = moment.start + Int64(frame - delay)
                    let part = gains[channel] * Double(giver.sample(position, giver.channels == 1 ? 0 : channel))
                    sum += part
                    magnitude += abs(part)
                }
                let heard = Double(moment.mix[channel][frame])
                if abs(heard - sum) > 1e-6 * magnitude {
                    return "channel \(channel) at \(moment.start) + \(frame): \(heard), not \(sum)"
                }
            }
        }
        return nil
    }
}
