// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus

/// The sentence of an error, for the user of a tool.
package enum ErrorText {
    package static func sentence(for error: any Error) -> String {
        switch error {
        case let error as PipeBusError: error.message
        case let error as ToolFailure: error.message
        case let error as ValidationError: error.message
        default: "\(error)"
        }
    }
}
