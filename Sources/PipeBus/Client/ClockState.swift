// SPDX-License-Identifier: MIT

/// The pace of the graph: its sample rate, the length of its cycles, and the driver that begins them.
///
/// While ports of the app are in cycles, it is that of the cycles. Before, it is what the daemon announces for a graph
/// in which no app asks for another length of cycles, and no device for another rate.
///
/// | ``isRunning`` | ``sampleRate``, ``quantum`` | ``driver`` |
/// | --- | --- | --- |
/// | false | announced by the daemon's settings | `nil` |
/// | true | of the cycles | the device that begins them |
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct ClockState: Sendable, Hashable {
    /// The sample rate, in hertz.
    public let sampleRate: Int
    /// Number of frames in a cycle.
    public let quantum: Int
    /// The name for people of the device that drives the app's ports; `nil` while none does.
    public let driver: String?
    /// Whether ports of the app are in cycles.
    public var isRunning: Bool { driver != nil }
    /// The time that a cycle takes.
    public var cycleDuration: Duration { .seconds(quantum) / max(sampleRate, 1) }

    init(sampleRate: Int, quantum: Int, driver: String?) {
        self.sampleRate = sampleRate
        self.quantum = quantum
        self.driver = driver
    }
}
