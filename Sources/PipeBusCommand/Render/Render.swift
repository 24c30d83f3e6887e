// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import PipeBusTesting
import ToolSupport

/// Plays a file through a chain of filters, and writes what comes out.
struct Render: Sendable {
    struct Result: Sendable {
        var frames = 0
        var channelCount = 0
        /// In frames.
        var latency = 0
        /// Number of graph cycles with sound.
        var cycles = 0
        /// Number of cycles that held what is no number, and are silent.
        var invalidCycles = 0
        /// Number of frames with a sample beyond full scale, in a format that clips it.
        var clippedFrames = 0
        /// Number of filters that have the state of an app that runs.
        var states = 0
    }

    let input: SoundFileReader
    let filters: [RenderFilter]
    /// The states of apps, by their ids.
    let states: [String: AppState]
    let stage: RenderStage
    /// Frames in a cycle.
    let quantum: Int
    /// Frames that are rendered after the end of the file.
    let tail: Int
    let limit: Duration
    /// Makes the file, once the number of channels is known.
    let makeOutput: @Sendable (Int) throws -> RenderOutput

    /// The silence before the sound, in which fades end that begin with a connection.
    private static let leadSeconds = 0.25
    /// The most tries to run all of that silence without a gap, and with one latency.
    private static let mostLeads = 40

    func run() async throws -> Result {
        var result = Result()
        var ports: [GraphPort] = []
        // One after the other: two processes of one app would have to find out which of them has the port's name.
        for filter in filters {
            let host = try stage.start(filter)
            ports.append(try await RenderChain.findFilter(of: host, on: stage, within: limit))
            guard let app = filter.app, let state = states[app.id] else { continue }
            try await RenderStates.load(state, into: app, of: host)
            result.states += 1
        }
        stage.notePlaying()
        let chain = try await RenderChain(
            through: ports, on: stage, file: input.path, channelCount: input.channelCount, quantum: quantum)
        let links: [Connection.Link]
        (result.latency, links) = try await lead(into: chain)
        result.channelCount = chain.sound.outputCount
        let output = try makeOutput(result.channelCount)
        do {
            let progress = RenderProgress(of: input, through: filters)
            defer { progress.end() }
            try await play(through: chain, links, into: output, &result, progress)
            try Task.checkCancellation()
            try await BlockingThread.run { try output.finish() }
        } catch {
            output.discard()
            throw error
        }
        result.invalidCycles = Int(try await chain.sound.receiver.statistics.invalidBlocks)
        if result.invalidCycles > 0 {
            Terminal.complain(
                "The filters gave NaN or infinity in \(result.invalidCycles) cycle\(result.invalidCycles == 1 ? "" : "s") of \(quantum) frames, silent in \(output.path)",
                as: "pipebus")
        }
        result.clippedFrames = output.clippedFrames
        if result.clippedFrames > 0 {
            Terminal.complain(
                "\(result.clippedFrames == 1 ? "1 frame is" : "\(result.clippedFrames) frames are") clipped at 0 dBFS, where the format of \(output.path) ends; --bits 32 keeps all of a WAV file",
                as: "pipebus")
        }
        if let latency = try? await chain.latency(within: limit), latency != result.latency {
            Terminal.complain(
                "A filter has changed its latency while it played, from \(result.latency) to \(latency) frames; what came after that is moved by the difference",
                as: "pipebus")
        }
        return result
    }

    /// Runs silence until everything runs, and nothing changes any more.
    ///
    /// - Returns: the latency of the chain, in frames, and its links.
    private func lead(into chain: RenderChain) async throws -> (latency: Int, links: [Connection.Link]) {
        let cycles = max(Int(Double(input.sampleRate) * Self.leadSeconds) / quantum + 1, 4)
        var known: (latency: Int, links: [Connection.Link])?
        for _ in 0..<Self.mostLeads {
            var isExact = true
            var rest = cycles
            while rest > 0 {
                let count = min(rest, chain.sound.batch)
                let silence = [Float](repeating: 0, count: count * quantum * chain.sound.inputCount)
                if try await pass(silence, through: chain) == nil { isExact = false }
                rest -= count
            }
            guard let latency = try await chain.latency(within: limit), let links = try await chain.links else {
                known = nil
                continue
            }
            if isExact, let known, known == (latency, links) { return known }
            known = (latency, links)
        }
        throw chain.failure(nil, within: limit)
    }

    private func pass(_ samples: [Float], through chain: RenderChain) async throws -> [Float]? {
        do {
            return try await chain.sound.pass(samples, within: limit)
        } catch let error as TestKitError {
            throw chain.failure(error, within: limit)
        }
    }

    private func play(
        through chain: RenderChain, _ links: [Connection.Link], into output: RenderOutput, _ result: inout Result,
        _ progress: RenderProgress
    ) async throws {
        let (inputs, outputs) = (chain.sound.inputCount, chain.sound.outputCount)
        /// Frames of the file so far; frames that went through the chain.
        var (read, passed) = (0, 0)
        var isAtEnd = false
        while true {
            try Task.checkCancellation()
            var samples: [Float] = []
            if !isAtEnd {
                samples = try await readBlock(of: chain.sound.batch * quantum)
                read += samples.count / inputs
                isAtEnd = samples.count < chain.sound.batch * quantum * inputs
            }
            let wanted = read + tail
            let rest = isAtEnd ? wanted + result.latency - passed : .max
            guard rest > 0 else { break }
            let cycles = min(chain.sound.batch, (rest - 1) / quantum + 1)
            samples += [Float](repeating: 0, count: cycles * quantum * inputs - samples.count)
            let sound = try await pass(samples, through: chain)
            guard let sound, try await chain.links == links else { throw chain.failure(nil, within: limit) }
            let early = min(max(result.latency - passed, 0), cycles * quantum)
            passed += cycles * quantum
            result.cycles += cycles
            let count = min(cycles * quantum - early, isAtEnd ? wanted - result.frames : .max)
            if count > 0 {
                let block = Array(sound[(early * outputs)..<((early + count) * outputs)])
                try await BlockingThread.run { try output.write(block) }
                result.frames += count
            }
            progress.show(read)
        }
    }

    /// The next frames of the file: fewer only at its end.
    private func readBlock(of frameCount: Int) async throws -> [Float] {
        try await BlockingThread.run { [input] in
            var samples: [Float] = []
            while samples.count < frameCount * input.channelCount {
                let more = try input.read(upTo: frameCount - samples.count / input.channelCount)
                if more.isEmpty { break }
                samples += more
            }
            return samples
        }
    }
}
