// SPDX-License-Identifier: MIT
import Glibc
import Synchronization
import ToolSupport

/// A file into which the demo records.
final class DemoOutput: Sendable {
    let path: String
    private let wasThere: Bool
    private let isRecordedInto = Atomic<Bool>(false)

    /// - Throws: ``ToolFailure`` if it is the file of the sound, which the recording would overwrite.
    init(path: String, apartFrom sound: DemoSound) throws {
        self.path = path
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

    /// The name of the second part's recording, beside that of the first: `demo-restart.wav`.
    static func restartPath(beside path: String) -> String {
        "\(path.hasSuffix(".wav") ? String(path.dropLast(4)) : path)-restart.wav"
    }

    /// Notes that the demo's recorder has opened the file. Until then it may be another program's.
    func noteRecorder() { isRecordedInto.store(true, ordering: .relaxed) }

    /// Removes what a failed demo recorded, unless the file was there before. The recorder has ended.
    func discard() {
        if isRecordedInto.load(ordering: .relaxed), !wasThere { unsafe unlink(path) }
    }
}
