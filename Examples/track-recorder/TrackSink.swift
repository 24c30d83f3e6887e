// SPDX-License-Identifier: MIT
import ToolSupport

/// A track's growing file, or the sound that will go into it.
///
/// While the file cannot be made or opened, sound is kept in memory as far as there is room, and the file is tried
/// again.
///
/// - Thread: the writer's.
final class TrackSink {
    private let source: TrackFile
    private let settings: TrackSettings
    let channelCount: Int
    private let origin: SoundOrigin?
    private var writer: SoundFileWriter?
    private var held: HeldSound
    /// Number of frames in the file.
    private(set) var frameCount = 0
    /// Number of frames in the file that are sound.
    private var soundFrames = 0
    private(set) var fileName: String?
    /// The file's first name, if it was removed and written again.
    private var removedName: String?
    /// Number of frames of sound that are in no file.
    private(set) var lostFrames = 0
    /// The reason of the loss.
    private(set) var failure: String?
    /// Whether the last try gave no file, so that sound is held.
    private var isHolding = false
    private var isReported = false
    private(set) var isSuspended = false
    private var isOver = false
    /// Whether an earlier file was left as it was, because no sound came.
    private(set) var hasLeftFile = false
    /// Whether a file was begun.
    private var hasBegun = false
    private var nextRetry = ContinuousClock.now
    private var nextCheck = ContinuousClock.now

    private static let retryInterval = Duration.milliseconds(200)

    init(_ source: TrackFile, channelCount: Int, settings: TrackSettings, origin: SoundOrigin? = nil) {
        self.origin = origin
        self.source = source
        self.channelCount = channelCount
        self.settings = settings
        held = HeldSound(channelCount: channelCount)
    }

    // MARK: Sound

    /// Appends sound, with silence before it.
    ///
    /// - Parameter place: frames from the start, no less than the present length.
    /// - Returns: the new length in frames: the old one if there is no room.
    func put(_ sound: [Float], at place: Int) throws -> Int {
        let length = frameCount + held.frameCount
        if isHolding, !settings.memory.reserve(sound.count) {
            lostFrames += sound.count / channelCount
            return length
        }
        held.append(silence: place - length)
        held.append(sound)
        if held.sampleCount >= 1 << 16 { try flush() }
        return frameCount + held.frameCount
    }

    /// Writes the held sound, as soon as there is a file.
    ///
    /// - Throws: ``ToolFailure`` if the file cannot grow.
    func flush() throws {
        guard !isOver else { return }
        try checkForRemoval(isLast: false)
        guard held.frameCount > 0 || fileName == nil && !source.replacesContent, openFile() else { return }
        try write()
    }

    private func write() throws {
        if isHolding { settings.memory.release(held.sampleCount) }
        isHolding = false
        do {
            // A file that replaces another one is empty at first.
            let written = writer?.frameCount ?? 0
            try writer?.writeSilence(frames: frameCount - written)
            for part in held.removeAll() {
                switch part {
                case .silence(let frames): try writer?.writeSilence(frames: frames)
                case .samples(let samples):
                    try writer?.write(samples[...])
                    soundFrames += samples.count / channelCount
                }
                frameCount = writer?.frameCount ?? frameCount
            }
        } catch {
            // A part of it may be written: a retry would write it twice.
            frameCount = writer?.frameCount ?? frameCount
            end()
            throw error
        }
    }

    // MARK: The file

    /// - Parameters:
    ///   - isUrgent: whether to retry before the next try is due.
    ///   - isLast: whether sound without a file is lost after this call. Then the folder is made again if it is gone.
    /// - Returns: whether there is a file to write to. Otherwise the sound is held.
    private func openFile(isUrgent: Bool = false, isLast: Bool = false) -> Bool {
        let now = ContinuousClock.now
        guard !isHolding || isUrgent || now >= nextRetry else { return false }
        nextRetry = now + Self.retryInterval
        do {
            if fileName == nil {
                try adopt(isReplacement: false, isLast: isLast)
            } else if try writer?.resume() == false {
                try replace(isLast: isLast)
            }
            isSuspended = false
            return true
        } catch {
            hold(error)
            return false
        }
    }

    private func adopt(isReplacement: Bool, isLast: Bool) throws {
        var file: OutputFile?
        func make() throws -> OutputFile {
            let made = try source.make(isReplacement: isReplacement, isLast: isLast)
            file = made
            return made
        }
        do {
            writer = try SoundFileWriter(
                make(), channelCount: channelCount, sampleRate: settings.sampleRate, format: settings.format,
                as: settings.fileFormat, origin: origin)
        } catch {
            if case .new = source { file?.discard() }
            throw error
        }
        hasBegun = true
        fileName = file.map { OutputFile.name(of: $0.path) }
    }

    /// Continues in another file, because the first one was removed while it was closed.
    private func replace(isLast: Bool) throws {
        let old = fileName ?? ""
        try adopt(isReplacement: true, isLast: isLast)
        lostFrames += soundFrames
        soundFrames = 0
        lose("\(old) was removed or changed while it was closed; later sound goes into \(fileName ?? "").")
    }

    private func hold(_ error: any Error) {
        let reason = (error as? ToolFailure)?.message ?? "\(error)"
        failure = failure ?? reason
        if !isHolding {
            isHolding = true
            settings.memory.reserveUnconditionally(held.sampleCount)
        }
        guard !isReported else { return }
        isReported = true
        settings.report(
            "\(source.title) cannot be written now; its sound is kept in memory, and the file is tried again: \(reason)"
        )
    }

    /// Checks whether an open file was removed. Its content exists until it is closed, and is copied to another file
    /// before.
    private func checkForRemoval(isLast: Bool) throws {
        let now = ContinuousClock.now
        guard now >= nextCheck else { return }
        nextCheck = now + Self.retryInterval
        guard writer?.isRemoved == true else { return }
        do {
            let file = try source.make(isReplacement: true, isLast: isLast)
            try writer?.move(to: file)
            removedName = removedName ?? fileName
            fileName = OutputFile.name(of: file.path)
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

    // MARK: End

    /// Closes the file until more sound comes. Idempotent.
    ///
    /// - Throws: ``ToolFailure``.
    func suspend() throws {
        guard !isOver, !isSuspended, fileName != nil, held.frameCount == 0, writer?.isRemoved == false else { return }
        isSuspended = true
        try writer?.suspend()
    }

    /// Fills the file up with silence, and ends it. Idempotent.
    ///
    /// - Parameter isLast: whether to give up a file that cannot be made now.
    /// - Throws: ``ToolFailure``.
    func close(length: Int, isLast: Bool) throws {
        guard !isOver, !leaveFile() else { return }
        nextCheck = .now
        try checkForRemoval(isLast: isLast)
        guard openFile(isUrgent: true, isLast: isLast), writer?.isRemoved == false else {
            if isLast { loseHeldSound() }
            return
        }
        held.append(silence: length - frameCount - held.frameCount)
        try write()
        if lostFrames == 0 { failure = nil }
        isOver = true
        try writer.take()?.close()
        reportRemoval()
    }

    /// Says that the file is another one than at the start: who removed it may look for it in vain, or meant to be rid of it.
    private func reportRemoval() {
        guard let removedName, let fileName else { return }
        settings.report(
            "\(removedName) was removed while it was recorded; "
                + (fileName == removedName
                    ? "it was written again, with all of its sound." : "all of its sound is in \(fileName)."))
    }

    /// Ends a track without a sound that would replace an earlier file by silence.
    ///
    /// - Returns: whether it was one.
    private func leaveFile() -> Bool {
        guard source.replacesContent, !hasBegun, held.frameCount == 0 else { return false }
        hasLeftFile = true
        end()
        return true
    }

    /// Counts the remaining sound as lost.
    private func loseHeldSound() {
        lostFrames += held.soundFrames
        if writer?.isRemoved == true {
            lostFrames += soundFrames
            failure =
                "\(fileName ?? "") was removed while it was written; record again, into a folder that other programs leave alone."
            fileName = nil
        }
        end()
    }

    /// Ends the file as it is, with all sound that can still be written.
    func abandon() {
        guard !isOver, !leaveFile() else { return }
        if openFile(isUrgent: true, isLast: true) { try? write() } else { loseHeldSound() }
        end()
    }

    private func end() {
        isOver = true
        // An empty file is none that can be played.
        if !hasBegun, case .given(let file) = source { file.discard() }
        try? writer.take()?.close()
    }
}
