// SPDX-License-Identifier: MIT
import RealtimeKit

/// A port as the app declared it, with the audio thread's memory of it. It is the same object in every session.
/// Confined to the loop.
final class DeclaredPort {
    /// The declaration, with all changes since.
    private(set) var declaration: PortDeclaration
    /// The port's number among the app's ports.
    let place: Int
    let memory: PortMemory
    let call: RealtimeCall
    let handle: PortHandle
    /// The memory of a filter's bypass, once the filter has been bypassed.
    private(set) var bypass: BypassMemory?
    /// The number of sources that each lane of a receiver has had. Later sources get greater generations.
    private(set) var sourceCounts: [UInt64] = []

    init(_ declaration: PortDeclaration, place: Int, handle: PortHandle, memory: PortMemory, call: RealtimeCall) {
        self.declaration = declaration
        self.place = place
        self.handle = handle
        self.memory = memory
        self.call = call
    }

    var name: String { declaration.name }

    func change(_ body: (inout PortDeclaration) -> Void) { body(&declaration) }
    func keep(_ bypass: BypassMemory) { self.bypass = bypass }
    func keep(sourceCounts: [UInt64]) { self.sourceCounts = sourceCounts }
}
