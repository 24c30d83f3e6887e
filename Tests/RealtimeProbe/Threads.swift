// SPDX-License-Identifier: MIT
import PipeBus
import RealtimeKit

/// Both ends of everything that `RealtimeKit` hands from one thread to another, on the audio thread, used as an app would.
struct Threads: ~Copyable, Sendable {
    struct Event: BitwiseCopyable, Sendable {
        var number: Int
        var value: Float
    }

    /// Larger than a processor's word.
    struct Analysis: BitwiseCopyable, Sendable {
        var number = 0
        var peak: Float = 0
        var time = 0.0
    }

    private var sender: EventQueue<Event>.Writer
    private var events: EventQueue<Event>.Reader
    private var results: Mailbox<Analysis>.Writer
    private var newest: Mailbox<Analysis>.Reader
    private var writer: SampleRing.Writer
    private var reader: SampleRing.Reader
    private var isOn: Parameter<Bool>.Reader
    private var gain: Parameter<Float>.RampedReader
    private var frequency: Parameter<Double>.RampedReader
    private var count = 0
    private(set) var sum = 0.0

    init(isOn: Parameter<Bool>, gain: Parameter<Float>, frequency: Parameter<Double>) {
        let (queue, mailbox) = (EventQueue<Event>(minimumCapacity: 4), Mailbox(Analysis()))
        let ring = SampleRing(channelCount: 2, minimumCapacity: AudioCycle.maximumFrameCount)
        sender = queue.makeWriter()
        events = queue.makeReader()
        results = mailbox.makeWriter()
        newest = mailbox.makeReader()
        writer = ring.makeWriter()
        reader = ring.makeReader()
        self.isOn = isOn.makeReader()
        self.gain = gain.makeReader(rampedOver: .milliseconds(20))
        self.frequency = frequency.makeReader(rampedOverFrames: 100)
    }

    mutating func process(_ cycle: AudioCycle, _ input: borrowing InputChannels, into output: inout OutputChannels) {
        count += 1
        if sender.writableEvents > 0 { _ = sender.trySend(Event(number: count, value: input[0, 0])) }
        if count.isMultiple(of: 3) {
            while let event = events.tryReceive() { sum += Double(event.value) + Double(event.number) }
        }
        results.post(Analysis(number: count, peak: input[1, 0], time: Double(cycle.position)))
        if newest.tryReceive() != nil { sum += Double(newest.read().peak) }
        _ = writer.tryWrite(input)
        sum += Double(reader.read(into: &output))
        let (gain, frequency) = (gain.ramp(over: cycle), frequency.ramp(over: cycle))
        guard isOn.value, gain.isMoving || frequency.isMoving else { return }
        for channel in 0..<output.count {
            var samples = output[channel]
            for frame in samples.indices { samples[frame] *= gain[frame] * Float(frequency[frame]) }
        }
    }
}
