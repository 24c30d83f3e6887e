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
    /// The memory of a filter's tap, once sources of the filter have been exchanged.
    private var tap: InputTapMemory?
    /// The monitor of a receiver that plays its mix by itself.
    private(set) var monitor: DeclaredMonitor?
    /// The number of sources that each lane of a receiver has had. Later sources get greater generations.
    private(set) var sourceCounts: [UInt64] = []

    /// The app's values for the sources that were connected when the last session ended, and have not come back.
    private(set) var sourceValues: [Source.Identity: SourceValues] = [:]
    /// The name of the port's last node. Its next one asks for the same, since other apps know the port by it: two processes of
    /// an app must not change names when the daemon is restarted.
    private(set) var nodeName: String?
    /// The app's name.
    private let app: String

    init(
        _ declaration: PortDeclaration, of app: String, place: Int, handle: PortHandle, memory: PortMemory,
        call: RealtimeCall
    ) {
        self.app = app
        self.declaration = declaration
        self.place = place
        self.handle = handle
        self.memory = memory
        self.call = call
    }

    var name: String { declaration.name }
    /// The name shown to people.
    var title: String { declaration.title ?? "\(app) \(name)" }

    /// The latency that the port adds, in frames, without that of a receiver that it follows.
    var ownFrames: Int { declaration.ownFrames(withBlocks: memory.blocks, auxiliaries: memory.auxiliaries) }

    func change(_ body: (inout PortDeclaration) -> Void) { body(&declaration) }
    func keep(monitor: DeclaredMonitor) { self.monitor = monitor }

    /// Takes away the monitor of a receiver. Its audio thread does not use it any more when the call returns. Idempotent.
    func endMonitor() {
        monitor = nil
        memory.receiver?.streams.setMonitor(nil)
    }

    func keep(nodeName: String) { self.nodeName = nodeName }
    func keep(sourceCounts: [UInt64]) { self.sourceCounts = sourceCounts }
    func keep(sourceValues: [Source.Identity: SourceValues]) { self.sourceValues = sourceValues }

    // MARK: Bypass

    var isBypassed: Bool { bypass?.isBypassed ?? false }

    /// Publishes to the audio thread whether the filter is bypassed.
    ///
    /// - Parameter latency: the filter's own latency, in frames.
    func setBypassed(_ isBypassed: Bool, latency: Int) {
        if bypass == nil {
            guard isBypassed else { return }
            let core = memory.core
            let bypass = BypassMemory(
                inputCount: core.value.blockInputCount, outputCount: core.value.outputCount, silence: core.value.silence
            )
            memory.keep(bypass)
            self.bypass = bypass
        }
        bypass?.set(isBypassed: isBypassed, latency: latency)
    }

    /// The memory of a filter's tap.
    func tapMemory() -> InputTapMemory {
        if let tap { return tap }
        let core = memory.core
        let tap = InputTapMemory(
            channelCount: core.value.blockInputCount, fade: memory.inputFade, silence: core.value.silence)
        memory.keep(tap)
        self.tap = tap
        return tap
    }

    /// Starts or ends the bypass of a filter that is in no graph.
    func setBypassedOutsideGraph(_ isBypassed: Bool) throws {
        try checkIsFilter()
        change { $0.isBypassed = isBypassed }
        setBypassed(isBypassed, latency: handle.latency.frames)
        handle.status.set(isBypassed ? .isBypassed : PortStatus(rawValue: 0))
    }

    func checkIsFilter() throws {
        guard declaration.kind == .filter else {
            throw PipeBusError(.notSupported, "\(title) is no filter, so it cannot be bypassed.")
        }
    }

    // MARK: Receivers

    /// - Throws: unless the port is a receiver that mixes: only there sources have levels.
    func checkMixes() throws {
        guard declaration.kind == .receiver else {
            throw PipeBusError(.invalidArgument, "\(title) is no receiver.")
        }
        if declaration.isSeparate { throw LivePort.noLevels(at: Names.shown(title)) }
    }
}
