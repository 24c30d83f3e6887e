// SPDX-License-Identifier: MIT
import CGIO

extension KeyFile {
    /// Whether it is the entry of an app whose program is there, and which the user has not removed.
    package var canBeStarted: Bool {
        let group = EntryKey.group
        guard string(EntryKey.type, in: group) == "Application", !isTrue(EntryKey.hidden, in: group),
            has(EntryKey.exec, in: group) || isTrue(EntryKey.dbusActivatable, in: group)
        else { return false }
        guard let program = string(EntryKey.tryExec, in: group), !program.isEmpty else { return true }
        let path = unsafe g_find_program_in_path(program)
        defer { unsafe g_free(path) }
        return unsafe path != nil
    }

    /// Whether a word is anywhere in the bytes of a file. Most entries cost no more than this look.
    package static func isNamed(_ word: String, in bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe g_strstr_len(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), gssize(buffer.count), word)
                != nil
        }
    }
}
