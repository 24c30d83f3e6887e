// SPDX-License-Identifier: MIT
import DesktopSupport
import PipeBus

extension PipeBusError {
    /// What a body does, with the errors of the desktop's files as PipeBus's own.
    static func of<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DesktopError {
            switch error.kind {
            case .invalid: throw PipeBusError(.invalidArgument, error.message)
            case .refused: throw PipeBusError(.noPermission, error.message)
            }
        }
    }
}
