// SPDX-License-Identifier: MIT
import Glibc
import PipeBus

/// What a sound file says of its origin: a WAV or RF64 file in a `bext` chunk (EBU Tech 3285), with the place on a time line at
/// which an editor puts it, and a FLAC file in comments.
package struct SoundOrigin: Sendable, Equatable {
    let title: String
    let originator: String
    /// The local date of the first frame, "2026-11-25".
    let date: String
    /// The local time of the first frame, "23:50:00".
    let time: String
    /// Number of frames from midnight to the first frame, local time.
    let timeReference: UInt64

    /// - Parameters:
    ///   - title: the source's.
    ///   - originator: the program.
    ///   - start: the time of the first frame, since the beginning of 1970 (UTC).
    ///   - sampleRate: in hertz.
    package init(title: String, originator: String, start: Duration, sampleRate: Int) {
        // Titles come from other programs.
        self.title = TerminalText.printable(title)
        self.originator = originator
        let (whole, attoseconds) = start.components
        var seconds = time_t(whole)
        var local = unsafe tm()
        unsafe localtime_r(&seconds, &local)
        let (hour, minute, second) = unsafe (local.tm_hour, local.tm_min, local.tm_sec)
        date =
            unsafe "\(Self.digits(local.tm_year + 1900, 4))-\(Self.digits(local.tm_mon + 1, 2))-\(Self.digits(local.tm_mday, 2))"
        time = [hour, minute, second].map { Self.digits($0, 2) }.joined(separator: ":")
        let sinceMidnight = Double((Int(hour) * 60 + Int(minute)) * 60 + Int(second)) + Double(attoseconds) / 1e18
        timeReference = UInt64((sinceMidnight * Double(max(sampleRate, 0))).rounded())
    }

    private static func digits(_ number: Int32, _ count: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(count - text.count, 0)) + text
    }

    /// The beginning of a text in a field of so many bytes, with a zero after it.
    static func field(_ text: String, _ size: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let next = Array(String(scalar).utf8)
            guard bytes.count + next.count < size else { break }
            bytes += next
        }
        return bytes
    }
}
