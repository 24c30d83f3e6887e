// SPDX-License-Identifier: MIT

/// By how much a value rises in each round, once the caches are full.
///
/// The first quarter of the rounds is left out, and the rest has three parts. The lowest value of each part counts, and of the two
/// rises between the parts the smaller one: what is kept once for later is a single step, and a leak rises both times.
package struct SteadyRise {
    /// Rounded towards zero.
    package let aRound: Int

    /// - Parameter values: one for each round; 0 is the result for fewer than three.
    package init(of values: some Sequence<Int>) {
        let values = Array(values)
        let length = (values.count - values.count / 4) / 3
        guard length > 0 else {
            aRound = 0
            return
        }
        let counted = values.suffix(3 * length)
        let lowest = (0..<3).compactMap { part in counted.dropFirst(part * length).prefix(length).min() }
        aRound = min(lowest[1] - lowest[0], lowest[2] - lowest[1]) / length
    }
}
