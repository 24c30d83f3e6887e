// SPDX-License-Identifier: MIT

extension Duration {
    /// The duration for people, rounded to about a hundredth: "2.1 s", "35 s", "3 min", "2 h 5 min".
    package var roundedInWords: String {
        let tenths = (self / .milliseconds(100)).rounded()
        guard tenths >= 100 else { return Duration.milliseconds(tenths * 100).inWords }
        let seconds = Int((self / .seconds(1)).rounded())
        if seconds < 120 { return "\(seconds) s" }
        let minutes = (seconds + 30) / 60
        if minutes < 120 { return "\(minutes) min" }
        return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    }

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
