// SPDX-License-Identifier: MIT
import Glibc

/// What proc(5) says of a process.
struct ProcessStatus {
    let parent: Int32
    /// Whether it runs: one that has ended and was not waited for does not.
    let isRunning: Bool

    /// - Returns: `nil` if there is no such process.
    init?(of pid: Int32) {
        let descriptor = unsafe open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        self.init(line: bytes[..<count])
    }

    /// - Parameter line: the content of the file `stat`.
    init?(line: ArraySlice<UInt8>) {
        // The name of the program is in parentheses, and may have any characters.
        guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[line.index(after: end)...].split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard fields.count == 3, let parent = Int32(String(decoding: fields[1], as: UTF8.self)) else { return nil }
        self.parent = parent
        isRunning = !fields[0].elementsEqual("Z".utf8) && !fields[0].elementsEqual("X".utf8)
    }

    /// The numbers of all processes, also of those that have ended.
    static var all: [Int32] {
        guard let folder = unsafe opendir("/proc") else { return [] }
        defer { unsafe closedir(folder) }
        var numbers: [Int32] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let number = Int32(name) { numbers.append(number) }
        }
        return numbers
    }
}
