// SPDX-License-Identifier: MIT
import RealtimeKit

/// The auxiliary inputs of a filter in this cycle, by their index in the order in which they were declared.
///
/// - Thread: audio. Valid only during the process block that is given it.
/// - Realtime: safe.
public struct AuxiliaryChannels: ~Copyable, ~Escapable {
    private let core: Cell<AuxiliaryCore>
    private let buffers: CycleBuffers
    /// Number of auxiliary inputs; the same in every cycle.
    public let count: Int

    @_noLocks
    @_lifetime(borrow core)
    init(_ core: Cell<AuxiliaryCore>, _ buffers: CycleBuffers) {
        self.core = core
        self.buffers = buffers
        count = core.value.count
    }

    /// The channels of an input, 0..<``count``: the mix of its sources, each at its level. They are silent without a source.
    public subscript(index: Int) -> InputChannels {
        @_noLocks
        @_lifetime(copy self)
        get {
            let inputs = count
            precondition(index >= 0 && index < inputs, "no such auxiliary input")
            let sound = core.value.sounds.cell(index)
            let channels = InputChannels(
                buffers.suffix(from: sound.value.firstChannel), count: sound.value.channelCount)
            return unsafe _overrideLifetime(channels, copying: self)
        }
    }

    /// Whether an input, 0..<``count``, has a source, or its sound still comes out. With `blockSize:` it is that of the block's last
    /// graph cycle.
    @_noLocks
    public func isConnected(_ index: Int) -> Bool {
        let inputs = count
        precondition(index >= 0 && index < inputs, "no such auxiliary input")
        return core.value.sounds[index].isPresent
    }
}
