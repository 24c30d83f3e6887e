// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport
import Synchronization

/// One request to an action: the files, the values of its parameters, and where its results go.
///
/// - Thread: any that may wait for the disk.
/// - Realtime: unsafe.
public final class ActionRequest: Sendable {
    /// The files, of types that the action takes: one, or more if it takes several.
    public let files: [ActionFile]
    /// The value of each parameter.
    public let parameters: [String: ActionValue]
    /// What the window system gave for the user's click or key: for the window of an interactive action.
    public let activationToken: String?

    /// An output, until the request is done.
    private struct Made {
        let sound: SoundOutput
        let file: ScratchFile
        let name: String
        let expectedFrameCount: Int?
        var note = ""
    }

    private struct State {
        var made: [Made] = []
        /// What the action itself has reported last.
        var reported: Double?
        var lastReport: ContinuousClock.Instant?
        var isCancelled = false
    }

    /// The name that the result will have; `nil` if that follows from the input's. Its extension says the format.
    private let outputName: String?
    private let suffix: String
    /// Where outputs are made.
    private let folder: String
    private let progress: @Sendable (Double) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - parameters: those that differ from the defaults; checked.
    ///   - progress: called with fractions, 0…1, at most ten times a second.
    init(
        _ description: ActionDescription, files: [ActionFile], parameters: [String: ActionValue],
        activationToken: String?, folder: String, outputName: String? = nil,
        progress: @escaping @Sendable (Double) -> Void
    ) {
        self.files = files
        let defaults = description.parameters.map { ($0.name, $0.defaultValue) }
        self.parameters = Dictionary(uniqueKeysWithValues: defaults).merging(parameters) { $1 }
        self.activationToken = activationToken
        suffix = description.suffix
        self.folder = folder
        self.outputName = outputName
        self.progress = progress
    }

    // MARK: Parameters

    /// The value of a number.
    ///
    /// - Precondition: the action declares a number of that name.
    public func number(_ name: String) -> Double {
        guard case .number(let number)? = parameters[name] else {
            preconditionFailure("no number \"\(name)\" is declared")
        }
        return number
    }

    /// The word that is chosen.
    ///
    /// - Precondition: the action declares a choice of that name.
    public func choice(_ name: String) -> String {
        guard case .text(let text)? = parameters[name] else { preconditionFailure("no choice \"\(name)\" is declared") }
        return text
    }

    /// The value of a flag.
    ///
    /// - Precondition: the action declares a flag of that name.
    public func flag(_ name: String) -> Bool {
        guard case .flag(let flag)? = parameters[name] else { preconditionFailure("no flag \"\(name)\" is declared") }
        return flag
    }

    // MARK: Sounds

    /// The files, opened from their beginnings.
    ///
    /// - Throws: ``SoundError``, ``ActionFailure`` `unreadable`.
    public var inputs: [SoundInput] { get throws { try files.map { try open($0) } } }

    /// Opens a file from its beginning. A file may be opened several times.
    ///
    /// - Throws: ``SoundError``, ``ActionFailure`` `unreadable`.
    public func open(_ file: ActionFile) throws -> SoundInput {
        let opened = try file.opened()
        return try withExtendedLifetime(opened) {
            try SoundInput(descriptor: opened.number, name: file.name) { [weak self] in try self?.noteWork() }
        }
    }

    /// Makes an output that takes over what the input says beside its sound. Its file has no name until the action is done.
    ///
    /// - Parameters:
    ///   - input: gives what is not said here: the channels, the sample rate in hertz, and the format: its own if that is lossless, and
    ///     otherwise WAV (``SoundInput/resultFormat``).
    ///   - name: what the name of the result has in parentheses; the action's suffix unless given.
    ///   - frameCount: about how many frames the output will have; those of the input unless given.
    /// - Throws: ``SoundError``; ``ActionFailure`` `unwritable`.
    public func makeOutput(
        for input: SoundInput, suffix: String? = nil, format: SoundFormat? = nil, channelCount: Int? = nil,
        sampleRate: Int? = nil, frameCount: Int? = nil
    ) throws -> SoundOutput {
        let suffix = suffix ?? self.suffix
        guard ActionText.isShown(suffix), ResultName.isSuffix(suffix) else {
            throw ActionFailure(.unwritable, "\"\(suffix.shown())\" cannot be in a file's name; give another suffix.")
        }
        let channelCount = channelCount ?? input.channelCount
        let sampleRate = sampleRate ?? input.sampleRate
        var chosen = format ?? input.resultFormat
        if let outputName {
            chosen = try chosen.fitting(
                extension: ResultName.fileExtension(of: outputName), channelCount: channelCount, sampleRate: sampleRate)
        } else if format == nil, !chosen.holds(channelCount: channelCount, sampleRate: sampleRate) {
            chosen = SoundFormat(.wav, .float32)
        }
        let expected = frameCount ?? input.claimedFrameCount
        let name = outputName ?? ResultName.of(input.displayName, suffix: suffix, fileExtension: chosen.fileExtension)
        let file: ScratchFile
        do {
            file = try ScratchFile.make(in: folder)
            for input in files { file.limitPermissions(to: try input.opened().permissions) }
        } catch let error as DesktopError {
            throw ActionFailure(.unwritable, error.message)
        }
        let sound = try SoundOutput(
            descriptor: file.descriptor, name: name, format: chosen, channelCount: channelCount, sampleRate: sampleRate,
            expectedFrameCount: expected
        ) { [weak self] in try self?.noteWork() }
        sound.metadata = input.metadata
        state.withLock {
            $0.made.append(Made(sound: sound, file: file, name: name, expectedFrameCount: expected))
        }
        return sound
    }

    /// Says something about a result that the user should know, such as that a limit was reached. One note for an output.
    ///
    /// - Parameter sentence: at most 1000 characters are shown.
    public func note(_ sentence: String, on output: SoundOutput) {
        state.withLock { state in
            guard let place = state.made.firstIndex(where: { $0.sound === output }) else { return }
            state.made[place].note = sentence.shown(atMost: 1000)
        }
    }

    // MARK: Progress

    /// Reports how far the work is. Without it, that is known from the outputs' lengths.
    ///
    /// - Parameter fraction: 0…1.
    /// - Throws: `CancellationError` if the request is cancelled.
    public func report(_ fraction: Double) throws {
        if fraction.isFinite { state.withLock { $0.reported = min(max(fraction, 0), 1) } }
        try noteWork()
    }

    /// Whether nobody wants the result any more.
    public var isCancelled: Bool { state.withLock(\.isCancelled) || Task.isCancelled }

    func cancel() { state.withLock { $0.isCancelled = true } }

    /// Reports that work goes on, at most ten times a second.
    private func noteWork() throws {
        guard !isCancelled else { throw CancellationError() }
        let now = ContinuousClock.now
        let fraction = state.withLock { state -> Double? in
            guard state.lastReport.map({ $0.duration(to: now) >= .milliseconds(100) }) ?? true else { return nil }
            state.lastReport = now
            return state.reported ?? Self.fraction(of: state.made)
        }
        if let fraction { progress(fraction) }
    }

    private static func fraction(of made: [Made]) -> Double {
        let parts = made.map { output -> Double in
            guard let expected = output.expectedFrameCount, expected > 0 else { return 0 }
            return min(Double(output.sound.frameCount) / Double(expected), 1)
        }
        return parts.isEmpty ? 0 : parts.reduce(0, +) / Double(parts.count)
    }

    // MARK: The end

    /// Ends the outputs.
    ///
    /// - Throws: ``SoundError``; ``ActionFailure`` `invalidResult` if there is none.
    func finish() throws -> [ActionResult] {
        let made = state.withLock { state in
            defer { state.made = [] }
            return state.made
        }
        guard !made.isEmpty else {
            throw ActionFailure(.invalidResult, "The action has made no result; ask its author to mend it.")
        }
        return try made.map { output in
            try output.sound.finish()
            return ActionResult(
                name: output.name, type: output.sound.format.mimeType,
                note: output.sound.clippingNote(after: output.note), file: output.file)
        }
    }
}
