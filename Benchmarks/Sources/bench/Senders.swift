// SPDX-License-Identifier: MIT
import Foundation

/// The program whose nodes are the sources of all receivers.
final class Senders {
    /// The sum over all of them.
    static let channelCount = 16

    private let program: Program

    init(in place: Workplace) throws {
        let executable = place.executables.appendingPathComponent("receive-senders").path
        program = try Program([executable, "senders"], name: "senders", in: place)
    }

    func end() { program.end() }
}
