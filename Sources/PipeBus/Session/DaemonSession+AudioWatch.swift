// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient
import Synchronization

/// What the audio thread knows and cannot announce. While a port is connected the control side looks at it twice a second.
extension DaemonSession {
    struct AudioWatch {
        var timer: LoopTimer?
        var standstill = StandstillDetector()
    }

    /// For everything that may connect a port.
    func watchAudio() {
        guard audioWatch.timer == nil, isOpen, ports.contains(where: \.isActive) else {
            return
        }
        checkStandstill()
        armAudioWatch()
    }

    private func armAudioWatch() {
        audioWatch.timer = LoopTimer(on: loop, after: .milliseconds(500)) { [unowned self] in pollAudio() }
    }

    private func pollAudio() {
        for node in ports where node.receiver != nil { pollReceiver(node) }
        checkStandstill()
        // The timer that is calling must not be let go of in its own call.
        jobs.add { [self] in rearmAudioWatch() }
    }

    private func rearmAudioWatch() {
        audioWatch.timer = nil
        guard isOpen, ports.contains(where: \.isActive) else { return }
        armAudioWatch()
    }

    private func pollReceiver(_ node: LivePort) {
        guard let control = node.receiver else { return }
        if control.takeLatencyChange() {
            updateFollowers(of: node.declaration.name)
            markStale(.sourceReaders)
        }
        for (source, identity) in control.takeInvalidSources(at: .now) {
            let title = model.title(of: source) ?? identity.map { Names.shown($0.nodeName) }
            post(
                Notice(
                    kind: .invalidSamples, port: node.declaration.name,
                    message:
                        "\(title ?? "A source") gives \(node.title) samples that are no numbers (NaN or infinite); it is "
                        + "silent where it does. Restart or disconnect that app if it goes on."))
        }
    }

    private func checkStandstill() {
        let active = ports.filter(\.isActive)
        let counts = Dictionary(uniqueKeysWithValues: active.map { ($0.id.serial, $0.cycleCount) })
        guard audioWatch.standstill.look(counts, at: .now), let node = active.first else { return }
        post(
            Notice(
                kind: .graphStandsStill, port: nil,
                message:
                    "The graph stands still: no cycle has come for 2 s, though \(node.title) is connected. Check the sound "
                    + "device that drives it, and for an app that hangs."))
    }
}
