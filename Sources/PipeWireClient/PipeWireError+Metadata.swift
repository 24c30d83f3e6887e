// SPDX-License-Identifier: MIT
import Glibc

extension PipeWireError {
    /// A metadata object is no more: its owner, or somebody else, took it away.
    package static let metadataRemoved = PipeWireError.callFailed(call: "pw_metadata", code: EIDRM)

    /// Without the module libpipewire knows nothing of the type, and says that it is a matter of protocol.
    static func missingMetadataModule(insteadOf error: PipeWireError) -> PipeWireError {
        guard case .callFailed(_, EPROTO) = error else { return error }
        return .incompatible(reason: "this program's PipeWire configuration does not load libpipewire-module-metadata")
    }
}
