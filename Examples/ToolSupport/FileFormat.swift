// SPDX-License-Identifier: MIT
import ArgumentParser

/// The format of a sound file that a tool writes.
package enum FileFormat: String, Sendable, CaseIterable, ExpressibleByArgument {
    /// Beyond 4 GiB it becomes an RF64 file.
    case wav
    /// Compressed without a loss.
    case flac
    /// A WAV file whose sizes have 64 bits from the beginning on (EBU Tech 3306).
    case rf64

    /// The extension of a file that a tool names itself. Programs look for RF64 files under that of WAV files.
    package var fileExtension: String { self == .flac ? "flac" : "wav" }

    /// The extensions that a file may have, in lowercase.
    var fileExtensions: [String] { self == .rf64 ? ["rf64", "wav"] : [rawValue] }

    /// For a person.
    package var name: String { rawValue.uppercased() }

    /// The largest number of channels in a file.
    package var maximumChannelCount: Int { self == .flac ? 8 : 1024 }

    /// Whether a file can have a sample rate, in hertz. Of those that a stream has, FLAC leaves some out (RFC 9639, "Uncommon Sample Rate").
    package func holds(sampleRate: Int) -> Bool {
        self != .flac || sampleRate <= 65_535 || sampleRate.isMultiple(of: 10)
    }

    /// The format of the samples.
    ///
    /// - Parameters:
    ///   - bits: the value of `--bits`; `nil` for the best that the file can hold.
    ///   - alternative: what makes a file that holds more.
    /// - Throws: `ValidationError`.
    package func sampleFormat(bits: Int?, orElse alternative: String = "--format wav") throws -> SampleFormat {
        guard let bits else { return self == .flac ? .int24 : .float32 }
        let format = try SampleFormat(bits: bits)
        guard self != .flac || format != .float32 else {
            throw ValidationError(
                "--bits takes 16 or 24 for a FLAC file, which holds integers only, not \(bits); give one of them, or \(alternative)."
            )
        }
        return format
    }

    /// Whether a file begins as one of this format does. WAV and RF64 count as the same, as one becomes the other.
    ///
    /// - Parameter head: the first 12 bytes.
    func isBeginning(_ head: ArraySlice<UInt8>) -> Bool {
        guard self != .flac else { return head.starts(with: "fLaC".utf8) }
        let kinds = ["RIFF", "RIFX", "RF64", "BW64"].map { Array($0.utf8) }
        return kinds.contains { head.starts(with: $0) } && head.dropFirst(8).elementsEqual("WAVE".utf8)
    }
}
