// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTestSupport
import PipeBusTesting

/// A WAV file of minutes, read piece by piece: 32-bit floats in two channels.
enum LongWaveFile {
    static func clockRuns(in path: String) throws -> ClockRuns {
        guard let file = unsafe fopen(path, "rbe") else { throw TestKitError("\(path) cannot be read.") }
        defer { _ = unsafe fclose(file) }
        try unsafe findSound(in: file, path)
        var runs = ClockRuns()
        var samples = [Float](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe samples.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 8, $0.count / 8, file) }
            if count == 0 { return runs }
            for frame in 0..<count { runs.append(samples[2 * frame], samples[2 * frame + 1]) }
        }
    }

    /// Goes to the first sample. The sound is the last thing in a file of ours.
    private static func findSound(in file: UnsafeMutablePointer<FILE>, _ path: String) throws {
        var header = [UInt8](repeating: 0, count: 4096)
        let count = unsafe header.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, file) }
        var place = 12
        while place + 8 <= count {
            let name = String(decoding: header[place..<place + 4], as: UTF8.self)
            let length = (0..<4).reduce(0) { $0 | Int(header[place + 4 + $1]) << (8 * $1) }
            if name == "fmt ", header[place + 10] != 2 || header[place + 22] != 32 {
                throw TestKitError("\(path) does not hold 32-bit floats in two channels.")
            }
            if name == "data" {
                unsafe fseek(file, place + 8, SEEK_SET)
                return
            }
            place += 8 + length + length % 2
        }
        throw TestKitError("\(path) has no sound in it.")
    }
}
