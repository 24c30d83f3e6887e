// SPDX-License-Identifier: MIT

extension LivePort {
    var isBypassed: Bool { declared.isBypassed }
    /// Whether the audio thread is still releasing a bypass that was ended.
    var isReleasingBypass: Bool { declared.bypass.map { !$0.isBypassed && !$0.isIdle } ?? false }
    /// Number of delay lines of the bypass.
    var bypassLineCount: Int { declared.bypass?.lineCount ?? 0 }

    /// Publishes to the audio thread whether the filter is bypassed, and its latency.
    func setBypassed(_ isBypassed: Bool) {
        declared.setBypassed(isBypassed, latency: latencies.ledger.own)
        publishStatus()
    }

    /// Gives the bypass the filter's present latency: its input is passed on with that delay, and its release takes
    /// that time.
    func followLatency() {
        if isBypassed || isReleasingBypass { setBypassed(isBypassed) }
    }
}
