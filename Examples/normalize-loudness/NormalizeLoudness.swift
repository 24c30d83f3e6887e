// SPDX-License-Identifier: MIT
import PipeBusActions

/// An offline action that brings sound files to one loudness (EBU R 128).
@main
struct NormalizeLoudness: AudioAction {
    static let description = ActionDescription(
        id: "org.pipebus.NormalizeLoudness", name: "Normalise Loudness", suffix: "Normalised",
        comment: "Brings a sound file to a loudness, with one gain for all of it.", version: "0.1.0-dev",
        iconName: "audio-volume-medium",
        parameters: [
            .number("target", title: "Loudness", in: -70...0, unit: "LUFS", default: -16),
            .number("peak", title: "Largest true peak", in: -20...0, unit: "dBTP", default: -1),
        ])

    func process(_ request: ActionRequest) async throws {
        let normaliser = LoudnessNormaliser(
            loudness: request.number("target"), largestTruePeak: request.number("peak"))
        for input in try request.inputs {
            let output = try request.makeOutput(for: input)
            let outcome = try normaliser.normalise(input, into: output) { try request.report($0) }
            if outcome.isLimited {
                let loudness = (outcome.resultingLoudness * 10).rounded() / 10
                request.note("It has \(loudness) LUFS, because its peaks would be too high otherwise.", on: output)
            }
        }
    }
}
