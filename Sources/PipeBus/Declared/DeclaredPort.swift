// SPDX-License-Identifier: MIT
import RealtimeKit

/// A port as the app asked for it, with what the audio thread uses of it. It is the same in every session. Lives on the
/// loop.
final class DeclaredPort {
    /// With all changes since.
    var declaration: PortDeclaration
    /// Its number among the app's ports.
    let place: Int
    let memory: PortMemory
    let call: RealtimeCall
    let handle: PortHandle
    /// Once the filter has been bypassed for the first time.
    var bypass: BypassMemory?
    /// How many sources each lane of a receiver has had: the numbers of those to come are greater.
    var sourceCounts: [UInt64] = []

    init(_ declaration: PortDeclaration, place: Int, handle: PortHandle, memory: PortMemory, call: RealtimeCall) {
        self.declaration = declaration
        self.place = place
        self.handle = handle
        self.memory = memory
        self.call = call
    }

    var name: String { declaration.name }
}
