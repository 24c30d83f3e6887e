// SPDX-License-Identifier: MIT
import PipeBus
import RealtimeKit

/// The path of the mix from the receiver's block to the sender's, which runs after it in the same cycle.
struct MixPassage {
    private let ring: SampleRing
    /// The position of the newest mix in the ring, in the app's time.
    private let position = Mailbox(UInt64.max)

    init(channelCount: Int) {
        ring = SampleRing(channelCount: channelCount, minimumCapacity: AudioCycle.maximumFrameCount)
    }

    func makeWriter() -> Writer { Writer(ring: ring.makeWriter(), position: position.makeWriter()) }
    func makeReader() -> Reader { Reader(ring: ring.makeReader(), position: position.makeReader()) }

    /// The state of the receiver.
    struct Writer: ~Copyable, Sendable {
        var ring: SampleRing.Writer
        var position: Mailbox<UInt64>.Writer

        mutating func pass(_ mix: borrowing ReceivedMix, of cycle: AudioCycle) {
            // While the mix is not read the ring is full, and a mix that is dropped is not missed.
            if ring.tryWrite(mix.channels) { position.post(cycle.position) }
        }
    }

    /// The state of the sender.
    struct Reader: ~Copyable, Sendable {
        var ring: SampleRing.Reader
        var position: Mailbox<UInt64>.Reader

        mutating func pass(_ cycle: AudioCycle, into output: inout OutputChannels) {
            // Without a source there is no mix of this cycle, and the ring holds an older one.
            let isFresh = position.read() == cycle.position
            let old = isFresh ? ring.readableFrames - cycle.frameCount : ring.readableFrames
            if old > 0 { ring.discard(frameCount: old) }
            if isFresh { _ = ring.read(into: &output) }
        }
    }
}
