// SPDX-License-Identifier: MIT
import Glibc

extension PipeWireError {
    /// The metadata object was removed, by its owner or by another client.
    package static let metadataRemoved = PipeWireError.callFailed(call: "pw_metadata", code: EIDRM)

    /// Without the module libpipewire does not know the type, and reports a protocol error.
    static func missingMetadataModule(insteadOf error: PipeWireError) -> PipeWireError {
        guard case .callFailed(_, EPROTO) = error else { return error }
        return .incompatible(reason: "this program's PipeWire configuration does not load libpipewire-module-metadata")
    }
}
