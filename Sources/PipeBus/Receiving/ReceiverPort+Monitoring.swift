// SPDX-License-Identifier: MIT

extension ReceiverPort {
    /// Whether the receiver plays its mix by itself; see ``setMonitorsAutomatically(_:)``. Off by default.
    ///
    /// - Throws: ``PipeBusError`` `closed`.
    public var monitorsAutomatically: Bool {
        get async throws { try await client.monitorsAutomatically(handle) }
    }

    /// Lets the receiver play its mix on the default output device by itself, for an app that only listens: a tuner, a meter, a
    /// recorder.
    ///
    /// The mix leaves through a sender of its own, named after the receiver with "-monitor" behind it, in the same cycle and at
    /// the receiver's latency. A receiver of separate streams mixes its sources for that, each at full volume in the centre.
    ///
    /// | when | what happens |
    /// | --- | --- |
    /// | a source is connected | the mix is faded in on the default device |
    /// | another device becomes the default | it is faded out on the one and in on the other |
    /// | there is no default device | it waits for one |
    /// | the device has more channels than a mono or stereo mix | it is played on the front left and right ones, or the first two |
    /// | the device is mono, and the mix is stereo | the mean of both sides is played |
    /// | other numbers of channels differ | nothing is played, and a notice says so: ``Notice/Kind/monitorNotPlayed`` |
    /// | the app plays its input itself: ``setMonitoring(_:)`` | nothing is played |
    /// | a sender of the app that follows the receiver (``PortLatency/following(_:plus:)``) is played | nothing is played |
    /// | each source is played on another path | nothing is played |
    /// | the device's own sound comes to the receiver | nothing is played, which would be acoustic feedback |
    /// | another program disconnects the sender from the device | nothing is played until another device is the default, or the two are connected again |
    /// | another program removes the sender from the graph again and again | it is given up: ``Notice/Kind/portLost``, and the setting is off |
    ///
    /// While it plays, the receiver is announced as one that monitors: apps upstream need not play their own output,
    /// ``PortState/shouldMuteLocalOutput``. The setting outlives restarts of the daemon. The mix of a live source
    /// (``PortState/isFromLiveSource``) is played too; near its microphone that is feedback.
    ///
    /// When the call returns, the sender is in the graph, or is out of it. Idempotent.
    ///
    /// - Throws: ``PipeBusError`` `closed`; when it is set also `duplicateName` if the app has another port of the sender's name,
    ///   `invalidArgument` if the receiver's name has more than 120 bytes, `incompatible` if the app has a block before each cycle
    ///   (``BusClient/beforeCycle(state:process:)``) and PipeWire processes its ports by several threads, `connectionLost`, `pipeWire` or
    ///   `timedOut`.
    public func setMonitorsAutomatically(_ monitorsAutomatically: Bool) async throws {
        try await client.setMonitorsAutomatically(monitorsAutomatically, at: self)
    }
}
