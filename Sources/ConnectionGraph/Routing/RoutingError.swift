// SPDX-License-Identifier: MIT

/// The reason why a text is no routing, or why values make none.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct RoutingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where it is: "line 7, column 12", "line 7 (connections[0].level.volume)", or "connections[0].level.volume" for a value that comes
    /// from no text. Empty where a single value is at fault. Indexes count from 0.
    public let place: String
    /// What is wrong there and what is right, without an end of a sentence. It holds nothing that a terminal would act on.
    public let problem: String

    init(at place: String, _ problem: String) {
        self.place = place.printable
        self.problem = problem.printable
    }

    /// One sentence.
    public var description: String {
        (place.isEmpty ? problem : "\(place): \(problem)") + (problem.hasSuffix("?") ? "" : ".")
    }

    /// A text from a file, short enough for a sentence.
    static func shown(_ text: String) -> String {
        // By scalars, because a Character has no largest length.
        let scalars = text.unicodeScalars.prefix(40)
        return String(scalars).printable + (scalars.count < text.unicodeScalars.count ? "…" : "")
    }
}
