// SPDX-License-Identifier: MIT
import ConnectionGraph

extension SoundFormat {
    /// The containers whose files have other extensions too.
    private static let aliases: [String: String] = [
        "aif": "aiff", "wave": "wav", "oga": "ogg", "snd": "au", "aifc": "aiff",
    ]

    /// This format if its files have an extension, and otherwise one of that extension that holds the same samples, or as much of them as it can.
    ///
    /// - Throws: ``ActionFailure`` `unwritable` if no such format is written.
    func fitting(extension given: String, channelCount: Int, sampleRate: Int) throws(ActionFailure) -> SoundFormat {
        let lower = given.lowercased()
        let wanted = Self.aliases[lower] ?? lower
        if fileExtension == wanted, holds(channelCount: channelCount, sampleRate: sampleRate) { return self }
        for container in Self.containers {
            for encoding in [encoding] + Self.encodings {
                let format = SoundFormat(container, encoding)
                guard format.fileExtension == wanted, format.holds(channelCount: channelCount, sampleRate: sampleRate)
                else {
                    continue
                }
                // Of what the container cannot hold, the best that it can.
                return format
            }
        }
        guard !given.isEmpty else {
            throw ActionFailure(
                .unwritable, "The name of the result has no extension, which says its format; end it in .wav.")
        }
        throw ActionFailure(
            .unwritable,
            "No sound with \(channelCount) channels at \(sampleRate) Hz can be written as \"\(given.shown())\"; end the name in .wav, or in that of the input."
        )
    }

    /// Whether files of some format that is written have the extension, which has no dot.
    public static func isWritten(fileExtension: String) -> Bool {
        let wanted = aliases[fileExtension.lowercased()] ?? fileExtension.lowercased()
        return containers.contains { container in
            encodings.contains { encoding in
                let format = SoundFormat(container, encoding)
                return format.fileExtension == wanted && format.isWritable
            }
        }
    }

    private static let containers: [SoundContainer] = [
        .wav, .flac, .aiff, .caf, .w64, .rf64, .au, .ogg, .mpeg, .voc, .ircam, .nist, .pvf, .paf, .avr, .svx, .htk,
        .sds, .mat5,
    ]
    private static let encodings: [SoundEncoding] = [
        .float32, .float64, .int32, .int24, .int16, .vorbis, .opus, .mpegLayer3, .int8, .uint8,
    ]
}
