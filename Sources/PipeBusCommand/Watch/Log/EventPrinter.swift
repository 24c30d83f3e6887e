// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import Synchronization
import ToolSupport

/// Prints events, each on a line of its own and at once.
///
/// - Thread: any.
final class EventPrinter: Sendable {
    private let isJSON: Bool
    private let error = Mutex<(any Error)?>(nil)

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// The error of the first line that could not be written. Nothing is printed after it.
    var failure: (any Error)? { error.withLock(\.self) }
    var hasFailed: Bool { failure != nil }

    func print(_ events: [WatchEvent]) {
        guard !events.isEmpty else { return }
        error.withLock { error in
            guard error == nil else { return }
            do {
                for event in events { Swift.print(try line(event, at: Date())) }
                try Terminal.flush()
            } catch let failure {
                error = failure
            }
        }
    }

    private func line(_ event: WatchEvent, at date: Date) throws -> String {
        guard isJSON else {
            let time = Calendar.current.dateComponents([.hour, .minute, .second], from: date)
            let parts = [time.hour, time.minute, time.second].map { number in
                let text = "\(number ?? 0)"
                return text.count < 2 ? "0\(text)" : text
            }
            return "\(parts.joined(separator: ":"))  \(event.text)"
        }
        var event = event
        event.time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        return try event.jsonLine
    }
}
