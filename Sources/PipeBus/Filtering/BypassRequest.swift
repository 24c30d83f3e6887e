// SPDX-License-Identifier: MIT

/// The control side's request for a filter's bypass.
struct BypassRequest {
    /// Incremented with each request.
    var number = 0
    var isBypassed = false
    /// The line of the bypass. Its delay is the filter's latency.
    var line = BypassLine()

    init() {}
}
