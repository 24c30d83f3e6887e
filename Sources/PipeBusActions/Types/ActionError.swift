// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport

/// The sentences of errors that an action throws.
enum ActionError {
    static func sentence(_ error: any Error) -> String {
        switch error {
        case let failure as ActionFailure: failure.message
        case let error as SoundError: error.message
        case let error as DesktopError: error.message
        default: "It failed (\("\(error)".shown(atMost: 300)))."
        }
    }
}
