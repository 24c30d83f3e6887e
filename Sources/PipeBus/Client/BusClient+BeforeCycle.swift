// SPDX-License-Identifier: MIT

extension BusClient {
    /// Sets a block that runs exactly once in each graph cycle that any of the app's ports takes part in, before the first
    /// of their blocks: the place for what all of them share, such as following the transport.
    ///
    /// ```swift
    /// try await bus.beforeCycle(state: Clock()) { clock, cycle in clock.advance(to: cycle.position) }
    /// ```
    ///
    /// It does not matter which ports are connected, and whether the cycle's length, the rate or the device that drives the
    /// graph change. While no port is connected it may run or not, and in a cycle of more than
    /// ``AudioCycle/maximumFrameCount`` frames it does not, as no block does.
    ///
    /// - Parameters:
    ///   - state: a value of the app's own that the block is passed from call to call. How its values come to the ports'
    ///     blocks is the app's choice; all of them run on one thread, one after the other.
    ///   - process: called on the audio thread. It must not allocate, lock, wait or call into the system. Its `AudioCycle`
    ///     is that of the ports, but for ``AudioCycle/missedFrames`` and ``AudioCycle/isDiscontinuous``, which are those of
    ///     the block's own calls, and for ``AudioCycle/isConnected``, ``AudioCycle/isConnectedToSelf`` and
    ///     ``AudioCycle/shouldMuteLocalOutput``: those are of one port, and here always false.
    /// - Throws: ``PipeBusError`` `invalidArgument` if it was set before or there is a port already, `connectionLost`,
    ///   `closed`.
    public func beforeCycle<State: ~Copyable & Sendable>(
        state: consuming State, process: @escaping @Sendable (inout State, AudioCycle) -> Void
    ) async throws {
        _ = try live()
        guard declared.beforeCycle == nil else {
            throw PipeBusError(.invalidArgument, "A block to run before each cycle was set already; an app has one.")
        }
        // Ports get it when they are made: none may be left out.
        guard declared.ports.isEmpty else {
            throw PipeBusError(
                .invalidArgument, "A block to run before each cycle must be set before the first port is added.")
        }
        declared.beforeCycle = BeforeCycleMemory(state: state, block: process)
    }
}
