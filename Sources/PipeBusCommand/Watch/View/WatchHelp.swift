// SPDX-License-Identifier: MIT

/// The explanation of the keys and of what is shown.
enum WatchHelp {
    static let lines: [(key: String, text: String)] = [
        ("↑ ↓  j k", "select"), ("PgUp PgDn", "a page up or down; g and G: to the first, to the last"),
        ("Tab", "pipelines, or all ports with what feeds them"),
        ("/", "show only what has a name; Esc shows all again"),
        ("", ""),
        ("c", "connect: choose a source, then where it goes"), ("d", "disconnect, after a question"),
        ("u U", "undo the last change of connections, and make it again"),
        ("+ −", "louder and softer by 1 dB, of a source at a receiver made with PipeBus"), ("0", "full volume: 0 dB"),
        ("< >", "to the left and to the right"), ("m", "mute, or no longer"), ("s", "solo, or no longer"),
        ("b", "bypass a filter, or no longer"), ("", ""),
        ("", "METER and PEAK are the level of a source before its volume, of the two seconds past."),
        ("", "At most 16 sources are measured at once, and only those that are connected."),
        ("", "LATENCY is the age of the sound. LOAD is a port's share of the cycle."),
        ("", "XRUNS counts the cycles since the start that were not finished in time."), ("", ""),
        ("^L", "paint the screen anew"), ("^Z", "suspend"), ("q", "quit"),
    ]
}
