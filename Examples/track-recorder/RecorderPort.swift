// SPDX-License-Identifier: MIT
import PipeBus

/// The recorder's port, and the capture of its sound.
///
/// - Thread: any.
struct RecorderPort {
    let channels: Int
    let lanes: Int
    let isSeparate: Bool
    /// Whether sound is recorded as it comes, and not aligned.
    let isImmediate: Bool
    /// The sample rate of the files, in hertz; `nil` for the graph's.
    let rate: Int?

    /// Number of frames that the disk may lag: five seconds at 48 kHz, in at most 256 MB.
    var ringFrames: Int {
        var frames = 1 << 18
        while frames * channels * (isSeparate ? lanes : 1) > 1 << 26 { frames /= 2 }
        return frames
    }

    /// Adds the port with its capture: a patchbay may connect the port at once.
    func addCapture(to bus: BusClient) async throws -> (ReceiverPort, RecordingCapture) {
        let capture =
            isSeparate
            ? try await bus.separateCapture(
                "in", channels: .channels(channels), lanes: lanes, alignment: alignment, fade: .none,
                minimumCapacity: ringFrames)
            : try await bus.capture(
                "in", channels: .channels(channels), lanes: lanes, alignment: alignment, fade: .none, panLaw: .balance,
                minimumCapacity: ringFrames)
        // At once: the port is in the graph, and other programs may connect it.
        if rate != nil { try capture.setFormat(format) }
        return (capture.port, RecordingCapture(capture))
    }

    /// Adds the port without a capture, which ``makeCapture(of:)`` makes.
    func addArmed(to bus: BusClient) async throws -> (ReceiverPort, RecordingCapture) {
        let port =
            isSeparate
            ? try await bus.separateReceiver(
                "in", channels: .channels(channels), lanes: lanes, alignment: alignment, fade: .none)
            : try await bus.receiver(
                "in", channels: .channels(channels), lanes: lanes, alignment: alignment, fade: .none, panLaw: .balance)
        return (port, RecordingCapture())
    }

    func makeCapture(of port: ReceiverPort) throws -> Capture {
        try port.makeCapture(format: format, minimumCapacity: ringFrames)
    }

    // A recording is exactly what was sent: no fade and no pan. Each separate source is placed by its time, so none is delayed for another
    // one.
    private var alignment: Alignment { isSeparate || isImmediate ? .immediate : .synchronized }

    private var format: StreamFormat { StreamFormat(.float32, sampleRate: rate) }
}
