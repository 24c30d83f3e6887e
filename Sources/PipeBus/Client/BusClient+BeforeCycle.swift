// SPDX-License-Identifier: MIT

extension BusClient {
    /// Sets a block that runs exactly once in each graph cycle, before the first block of the app's ports.
    ///
    /// It is for work that all ports share, such as following the transport.
    ///
    /// ```swift
    /// try await bus.beforeCycle(state: Clock()) { clock, cycle in clock.advance(to: cycle.position) }
    /// ```
    ///
    /// | when | the block |
    /// | --- | --- |
    /// | any of the app's ports takes part in the cycle | runs, whichever ports are connected |
    /// | the cycle's length, the sample rate or the driver changes | runs as before |
    /// | no port is connected | may run or not; runs if a port was added with `keepsRunning` |
    /// | the cycle has more than ``AudioCycle/maximumFrameCount`` frames | does not run, as no block does |
    ///
    /// Its `AudioCycle` is that of the ports, with these exceptions:
    ///
    /// * ``AudioCycle/missedFrames`` and ``AudioCycle/isDiscontinuous`` are those of the block's own calls.
    /// * ``AudioCycle/isConnected``, ``AudioCycle/isConnectedToSelf`` and ``AudioCycle/shouldMuteLocalOutput`` are false:
    ///   they are about one port.
    ///
    /// - Parameters:
    ///   - state: a value of the app's own that is passed to the block in each call. The app chooses how its values reach
    ///     the ports' blocks; all blocks run on one thread, one after the other.
    ///   - process: called on the audio thread. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument` if a block is already set or a port exists, `connectionLost`, `closed`.
    public func beforeCycle<State: ~Copyable & Sendable>(
        state: consuming State, process: @escaping @Sendable (inout State, AudioCycle) -> Void
    ) async throws {
        try checkOpen()
        guard declared.beforeCycle == nil else {
            throw PipeBusError(.invalidArgument, "A block to run before each cycle was set already; an app has one.")
        }
        // A port gets the block when it is made, and no port may be left out.
        guard declared.ports.isEmpty else {
            throw PipeBusError(
                .invalidArgument, "A block to run before each cycle must be set before the first port is added.")
        }
        declared.setBeforeCycle(try BeforeCycleMemory(state: state, timeline: declared.timelines.main, block: process))
    }
}
