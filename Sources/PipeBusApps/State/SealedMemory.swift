// SPDX-License-Identifier: MIT
import CAppSupport
import Glibc

/// Memory that one process fills and another reads, as a descriptor. Once it is sealed nobody can change it any more (memfd_create(2)).
enum SealedMemory {
    /// - Returns: a descriptor, which belongs to the caller; `nil` without memory or descriptors.
    static func make(_ bytes: [UInt8]) -> Int32? {
        let descriptor = pbapp_memory_create()
        guard descriptor >= 0 else { return nil }
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress! + done, bytes.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            done += count
        }
        guard done == bytes.count, pbapp_memory_seal(descriptor) else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Reads all of another process's memory. What is not sealed may change meanwhile, so it is not taken.
    ///
    /// - Returns: `nil` for anything else than sealed memory of at most this size that can be read as a whole.
    static func read(_ descriptor: Int32, atMost largest: Int) -> [UInt8]? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            pbapp_memory_is_sealed(descriptor), 0...largest ~= Int(status.st_size)
        else { return nil }
        let size = Int(status.st_size)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = 0
            while count < size {
                let read = unsafe pread(descriptor, buffer.baseAddress! + count, size - count, off_t(count))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                count += read
            }
        }
        return bytes.count == size ? bytes : nil
    }
}
