// SPDX-License-Identifier: MIT
import Glibc
import Synchronization
import ToolSupport

/// The file of the demo's recording.
final class DemoOutput: Sendable {
    let path: String
    /// The recording of the second part, which is removed: beside the other one, on the same disk.
    let restartPath: String
    private let wasThere: Bool
    private let isRecordedInto = Atomic<Bool>(false)

    /// - Throws: ``ToolFailure`` if it is the file of the sound, which the recording would overwrite.
    init(path: String, apartFrom sound: DemoSound) throws {
        self.path = path
        restartPath = "\(path.hasSuffix(".wav") ? String(path.dropLast(4)) : path)-restart-\(getpid()).wav"
        var own = stat()
        var other = stat()
        // Without following a link: what it points to was not made for the demo.
        wasThere = unsafe lstat(path, &own) == 0
        let isSame =
            unsafe stat(path, &own) == 0 && stat(sound.path, &other) == 0
            && own.st_dev == other.st_dev && own.st_ino == other.st_ino
        guard !isSame else {
            throw ToolFailure("\(path) is the sound itself; name another file for the recording with --output.")
        }
    }

    /// Notes that the demo's recorder has opened the file. Until then it may be another program's.
    func noteRecorder() { isRecordedInto.store(true, ordering: .relaxed) }

    /// Removes what a failed demo recorded, unless the file was there before. The recorder has ended.
    func discard() {
        if isRecordedInto.load(ordering: .relaxed), !wasThere { unsafe unlink(path) }
    }
}
