// SPDX-License-Identifier: MIT
import PipeWireClient

/// The channel of a port that a latency report is about.
struct ReportKey: Hashable {
    var isInput: Bool
    /// The channel's index among the port's inputs or outputs.
    var channel: Int

    init(isInput: Bool, channel: Int) {
        self.isInput = isInput
        self.channel = channel
    }

    init(_ report: FilterNode.LatencyReport) { self.init(isInput: report.isInput, channel: report.channel) }
}
