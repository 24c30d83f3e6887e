// SPDX-License-Identifier: MIT
import PipeBusTesting
import ToolSupport
import XCTest

/// WAV files, read and written here by hand: the tools' own code is what is tested.
enum WaveFile {
    struct Contents {
        var channels: [[Float]]
        var sampleRate: Int
        var bits: Int
    }

    /// Writes 32-bit floats.
    ///
    /// - Parameter claim: the number of samples that the header claims; by default as many as there are.
    static func write(
        _ samples: [Float], channelCount: Int, sampleRate: Int, claiming claim: Int? = nil, to path: String
    ) throws {
        let claim = claim ?? samples.count
        var data = Data()
        func put(_ text: String) { data.append(contentsOf: text.utf8) }
        func put(_ value: Int, bytes: Int) { for byte in 0..<bytes { data.append(UInt8(value >> (8 * byte) & 0xFF)) } }
        put("RIFF")
        put(36 + 4 * claim, bytes: 4)
        put("WAVEfmt ")
        put(16, bytes: 4)
        put(3, bytes: 2)
        put(channelCount, bytes: 2)
        put(sampleRate, bytes: 4)
        put(sampleRate * channelCount * 4, bytes: 4)
        put(channelCount * 4, bytes: 2)
        put(32, bytes: 2)
        put("data")
        put(4 * claim, bytes: 4)
        for sample in samples { put(Int(sample.bitPattern), bytes: 4) }
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// Writes the head of an RF64 file of 32-bit floats (EBU Tech 3306), which may be of any length.
    static func writeHead(ofFrames frames: Int, channelCount: Int, sampleRate: Int, to path: String) throws {
        var data = Data()
        func put(_ text: String) { data.append(contentsOf: text.utf8) }
        func put(_ value: Int, bytes: Int) { for byte in 0..<bytes { data.append(UInt8(value >> (8 * byte) & 0xFF)) } }
        put("RF64")
        put(0xFFFF_FFFF, bytes: 4)
        put("WAVEds64")
        put(28, bytes: 4)
        put(72 + 4 * channelCount * frames, bytes: 8)
        put(4 * channelCount * frames, bytes: 8)
        put(frames, bytes: 8)
        put(0, bytes: 4)
        put("fmt ")
        put(16, bytes: 4)
        put(3, bytes: 2)
        put(channelCount, bytes: 2)
        put(sampleRate, bytes: 4)
        put(sampleRate * channelCount * 4, bytes: 4)
        put(channelCount * 4, bytes: 2)
        put(32, bytes: 2)
        put("data")
        put(0xFFFF_FFFF, bytes: 4)
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// The content of a chunk; `nil` without one. Chunks after the sound are not looked for.
    static func chunk(_ name: String, in path: String) throws -> Data? {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let head = [UInt8](try file.read(upToCount: 4096) ?? Data())
        var place = 12
        while place + 8 <= head.count {
            let length = (0..<4).reduce(0) { $0 | Int(head[place + 4 + $1]) << (8 * $1) }
            let found = String(decoding: head[place..<place + 4], as: UTF8.self)
            if found == name, place + 8 + length <= head.count { return Data(head[place + 8..<place + 8 + length]) }
            if found == "data" { return nil }
            place += 8 + length + length % 2
        }
        return nil
    }

    /// Reads a file as any player would: by what its header says.
    static func read(_ path: String) throws -> Contents {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        func number(_ place: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        func text(_ place: Int) -> String { String(decoding: bytes[place..<place + 4], as: UTF8.self) }
        guard bytes.count >= 12, ["RIFF", "RF64"].contains(text(0)), text(8) == "WAVE" else {
            throw TestKitError("\(path) is no WAV file.")
        }
        var place = 12
        var longLength: Int?
        var format: (tag: Int, channels: Int, rate: Int, bits: Int)?
        while place + 8 <= bytes.count {
            var length = number(place + 4, 4)
            // EBU Tech 3306: the lengths of an RF64 file are in a chunk of their own.
            if text(place) == "ds64" { longLength = number(place + 16, 8) }
            if text(place) == "data", text(0) == "RF64", length == 0xFFFF_FFFF { length = longLength ?? 0 }
            let start = place + 8
            if text(place) == "fmt " {
                format = (number(start, 2), number(start + 2, 2), number(start + 4, 4), number(start + 14, 2))
            }
            if text(place) == "data", let format {
                guard start + length <= bytes.count, length % (format.channels * format.bits / 8) == 0 else {
                    throw TestKitError("\(path) says it has \(length) bytes of sound; it has \(bytes.count - start).")
                }
                let width = format.bits / 8
                let samples = (0..<length / width).map { index -> Float in
                    let value = number(start + index * width, width)
                    if format.bits == 32 { return Float(bitPattern: UInt32(value)) }
                    let signed = (value << (64 - format.bits)) >> (64 - format.bits)
                    return Float(signed) / Float(1 << (format.bits - 1))
                }
                return Contents(
                    channels: (0..<format.channels).map { channel in
                        stride(from: channel, to: samples.count, by: format.channels).map { samples[$0] }
                    },
                    sampleRate: format.rate, bits: format.bits)
            }
            place = start + length + length % 2
        }
        throw TestKitError("\(path) has no sound in it.")
    }
}
