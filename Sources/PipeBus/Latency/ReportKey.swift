// SPDX-License-Identifier: MIT
import PipeWireClient

/// Which of a port's channels a report of latency is about.
struct ReportKey: Hashable {
    var isInput: Bool
    var port: Int

    init(isInput: Bool, port: Int) {
        self.isInput = isInput
        self.port = port
    }

    init(_ report: FilterNode.LatencyReport) { self.init(isInput: report.isInput, port: report.port) }
}
