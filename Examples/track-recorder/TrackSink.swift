// SPDX-License-Identifier: MIT
import ToolSupport

/// A track's file as it grows, or what will go into it: while the file cannot be made or opened, sound is kept in memory
/// as far as there is room, and the file is tried again.
///
/// - Thread: the writer's.
final class TrackSink {
    private let source: TrackFile
    private let settings: TrackSettings
    let channelCount: Int
    private var wav: WaveFileWriter?
    private var held: HeldSound
    /// Frames in the file.
    private(set) var frameCount = 0
    /// Those of them that are sound.
    private var soundFrames = 0
    private(set) var fileName: String?
    /// Frames of sound that are in no file.
    private(set) var lostFrames = 0
    /// Why frames were lost, or will be.
    private(set) var failure: String?
    /// There was a file to be had the last time.
    private var isHolding = false
    private var isReported = false
    private(set) var isSuspended = false
    private var isOver = false
    private var nextTry = ContinuousClock.now
    private var nextLook = ContinuousClock.now

    private static let patience = Duration.milliseconds(200)

    init(_ source: TrackFile, channelCount: Int, settings: TrackSettings) {
        self.source = source
        self.channelCount = channelCount
        self.settings = settings
        held = HeldSound(channelCount: channelCount)
    }

    // MARK: Sound

    /// Puts sound behind what is there, with silence in between.
    ///
    /// - Parameter place: frames from the start, no less than are there.
    /// - Returns: how many frames there are now: none more if there is no room.
    func put(_ sound: [Float], at place: Int) throws -> Int {
        let length = frameCount + held.frameCount
        if isHolding, !settings.room.take(sound.count) {
            lostFrames += sound.count / channelCount
            return length
        }
        held.append(silence: place - length)
        held.append(sound)
        if held.sampleCount >= 1 << 16 { try flush() }
        return frameCount + held.frameCount
    }

    /// Writes what is held, as soon as there is a file.
    ///
    /// - Throws: ``ToolFailure`` if the file can take no more.
    func flush() throws {
        guard !isOver else { return }
        try lookForFile(isLast: false)
        guard held.frameCount > 0 || fileName == nil, openFile() else { return }
        try write()
    }

    private func write() throws {
        if isHolding { settings.room.give(back: held.sampleCount) }
        isHolding = false
        do {
            // A file that replaces another one begins with nothing.
            let written = wav?.frameCount ?? 0
            try wav?.writeSilence(frames: frameCount - written)
            for part in held.removeAll() {
                switch part {
                case .silence(let frames): try wav?.writeSilence(frames: frames)
                case .samples(let samples):
                    try wav?.write(samples[...])
                    soundFrames += samples.count / channelCount
                }
                frameCount = wav?.frameCount ?? frameCount
            }
        } catch {
            // Part of it may be there: once more would be twice.
            frameCount = wav?.frameCount ?? frameCount
            end()
            throw error
        }
    }

    // MARK: The file

    /// - Parameters:
    ///   - isUrgent: not to wait until the next try is due.
    ///   - isLast: what finds no file now is lost, so the folder is made again if it is gone.
    /// - Returns: whether there is a file to write to; otherwise the sound is held.
    private func openFile(isUrgent: Bool = false, isLast: Bool = false) -> Bool {
        let now = ContinuousClock.now
        guard !isHolding || isUrgent || now >= nextTry else { return false }
        nextTry = now + Self.patience
        do {
            if fileName == nil {
                try adopt(source.make(isReplacement: false, isLast: isLast))
            } else if try wav?.resume() == false {
                try replace(isLast: isLast)
            }
            isSuspended = false
            return true
        } catch {
            hold(error)
            return false
        }
    }

    private func adopt(_ file: OutputFile) throws {
        do {
            wav = try WaveFileWriter(
                file, channelCount: channelCount, sampleRate: settings.sampleRate, format: settings.format)
        } catch {
            if case .new = source { file.discard() }
            throw error
        }
        fileName = Self.name(of: file)
    }

    private static func name(of file: OutputFile) -> String { String(file.path.split(separator: "/").last ?? "") }

    /// Goes on in another file, as the first one was taken away while it was closed.
    private func replace(isLast: Bool) throws {
        let old = fileName ?? ""
        try adopt(source.make(isReplacement: true, isLast: isLast))
        lostFrames += soundFrames
        soundFrames = 0
        lose("\(old) was taken away or changed while it was closed; what comes now goes into \(fileName ?? "").")
    }

    private func hold(_ error: any Error) {
        let reason = (error as? ToolFailure)?.message ?? "\(error)"
        failure = failure ?? reason
        if !isHolding {
            isHolding = true
            settings.room.force(held.sampleCount)
        }
        guard !isReported else { return }
        isReported = true
        settings.report(
            "\(source.title) has no file now, its sound is kept in memory and the file is tried again: \(reason)")
    }

    /// An open file may be taken away. What is in it is there until it is closed, and is written again before.
    private func lookForFile(isLast: Bool) throws {
        let now = ContinuousClock.now
        guard now >= nextLook else { return }
        nextLook = now + Self.patience
        guard wav?.isRemoved == true else { return }
        do {
            let file = try source.make(isReplacement: true, isLast: isLast)
            try wav?.move(to: file)
            fileName = Self.name(of: file)
        } catch {
            guard !isReported else { return }
            isReported = true
            settings.report(
                "\(fileName ?? "") was removed while it is written; it is written again when its folder is back, or at the end."
            )
        }
    }

    private func lose(_ sentence: String) {
        failure = failure ?? sentence
        settings.report(sentence)
    }

    // MARK: Its end

    /// Closes the file until more comes. Idempotent.
    ///
    /// - Throws: ``ToolFailure``.
    func suspend() throws {
        guard !isOver, !isSuspended, fileName != nil, held.frameCount == 0, wav?.isRemoved == false else { return }
        isSuspended = true
        try wav?.suspend()
    }

    /// Fills up with silence, and ends the file. Idempotent.
    ///
    /// - Parameter isLast: a file that cannot be had now is given up.
    /// - Throws: ``ToolFailure``.
    func close(length: Int, isLast: Bool) throws {
        guard !isOver else { return }
        nextLook = .now
        try lookForFile(isLast: isLast)
        guard openFile(isUrgent: true, isLast: isLast), wav?.isRemoved == false else {
            if isLast { giveUp() }
            return
        }
        held.append(silence: length - frameCount - held.frameCount)
        try write()
        if lostFrames == 0 { failure = nil }
        isOver = true
        try wav.take()?.close()
    }

    /// The rest is in no file.
    private func giveUp() {
        lostFrames += held.soundFrames
        if wav?.isRemoved == true {
            lostFrames += soundFrames
            failure = "\(fileName ?? "") was removed while it was written."
            fileName = nil
        }
        end()
    }

    /// Ends the file as it is, with what can still be written.
    func abandon() {
        guard !isOver else { return }
        if openFile(isUrgent: true, isLast: true) { try? write() } else { giveUp() }
        end()
    }

    private func end() {
        isOver = true
        try? wav.take()?.close()
    }
}
