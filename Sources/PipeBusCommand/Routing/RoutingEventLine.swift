// SPDX-License-Identifier: MIT
import Foundation
import PipeBus

/// An event of a kept routing as a line of JSON, for other programs.
struct RoutingEventLine: Encodable {
    /// A word of ``RoutingEvent/Kind``.
    let event: String
    let source: String
    let destination: String?
    let reason: String?
    /// Seconds since 1970.
    let time: Double

    init(_ event: RoutingEvent) {
        self.event = event.kind.rawValue
        source = event.source
        destination = event.destination
        reason = event.reason
        time = Date().timeIntervalSince1970
    }

    func print() {
        if let line = try? jsonLine { Swift.print(line) }
    }
}
