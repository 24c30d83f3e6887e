// SPDX-License-Identifier: MIT

/// What the control side wants of a filter's bypass.
struct BypassOrder {
    /// Grows with each.
    var number = 0
    var isBypassed = false
    /// What is heard then; its delay is the filter's latency.
    var line = BypassLine()

    init() {}
}
