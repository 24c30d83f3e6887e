// SPDX-License-Identifier: MIT
import Foundation

/// A file without a name, and its descriptor for as long as it lives.
final class MemoryFile {
    let descriptor: Int32

    init(_ bytes: [UInt8] = []) {
        let path = NSTemporaryDirectory() + "pipebus-sound-\(UInt64.random(in: 0 ... .max))"
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0, "no file can be made in \(NSTemporaryDirectory())")
        unsafe unlink(path)
        self.bytes = bytes
    }

    deinit { close(descriptor) }

    var size: Int {
        get { Int(lseek(descriptor, 0, SEEK_END)) }
        set { precondition(ftruncate(descriptor, off_t(newValue)) == 0) }
    }

    var bytes: [UInt8] {
        get {
            let size = size
            return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                count = unsafe size == 0 ? 0 : pread(descriptor, buffer.baseAddress!, size, 0)
            }
        }
        set {
            size = newValue.count
            put(newValue, at: 0)
        }
    }

    func put(_ bytes: [UInt8], at place: Int) {
        precondition(unsafe pwrite(descriptor, bytes, bytes.count, off_t(place)) == bytes.count)
    }
}
