// SPDX-License-Identifier: MIT

extension Duration {
    /// The duration for people: "10 s", "1.5 s", "100 ms", "20 µs", "0 s". It is rounded to a thousandth of the unit.
    package var inWords: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        let microseconds = attoseconds / 1_000_000_000_000
        if seconds == 0, milliseconds != 0 { return "\(milliseconds) ms" }
        if seconds == 0, microseconds != 0 { return "\(microseconds) µs" }
        guard milliseconds != 0 else { return "\(seconds) s" }
        var fraction = String(milliseconds.magnitude + 1000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(seconds).\(fraction) s"
    }
}
