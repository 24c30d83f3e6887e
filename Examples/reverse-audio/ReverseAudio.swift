// SPDX-License-Identifier: MIT
import PipeBusActions

/// An offline action that plays sound files backwards.
@main
struct ReverseAudio: AudioAction {
    static let description = ActionDescription(
        id: "org.pipebus.ReverseAudio", name: "Reverse", suffix: "Reversed",
        comment: "Writes a sound file that plays backwards.", version: "0.1.0-dev",
        iconName: "media-seek-backward")

    func process(_ request: ActionRequest) async throws {
        for input in try request.inputs { try Reversal.reverse(input, into: request.makeOutput(for: input)) }
    }
}
