// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// What has become of one connection or bypass of a routing, for a line of output. Pure.
struct RoutingEvent: Equatable {
    enum Kind: String {
        case made, there, waiting, removed, stopped, failed, leftOut, gone
        case levelFailed, bypassed, live, bypassFailed
        /// Of an app: the source is its id.
        case stateRestored, stateFailed
    }

    let kind: Kind
    let source: String
    /// `nil` for a bypass.
    let destination: String?
    /// A sentence, or what is waited for.
    var reason: String?

    init(_ kind: Kind, _ source: String, _ destination: String? = nil, reason: String? = nil) {
        self.kind = kind
        self.source = source
        self.destination = destination
        self.reason = reason
    }

    /// The state of a connection; `nil` while it is being made.
    init?(_ line: RoutingStatus.Line) {
        var reason: String?
        let kind: Kind
        switch line.state {
        case .making: return nil
        case .waiting(let missing):
            kind = .waiting
            reason = missing.joined(separator: " and ")
        case .connected(let isMade): kind = isMade ? .made : .there
        case .removed: kind = .removed
        case .stopped: kind = .stopped
        case .failed(let sentence):
            kind = .failed
            reason = sentence
        case .leftOut(let sentence):
            kind = .leftOut
            reason = sentence
        }
        self.init(kind, line.sourceName, line.destinationName, reason: reason)
    }

    /// What came of a bypass; `nil` while it is being set.
    init?(_ line: RoutingStatus.BypassLine) {
        if let problem = line.problem {
            self.init(.bypassFailed, line.name, reason: problem)
        } else if line.isSet {
            self.init(line.isBypassed ? .bypassed : .live, line.name)
        } else {
            return nil
        }
    }

    /// For a person.
    var sentence: String {
        let name = destination.map { "\(source) → \($0)" } ?? source
        let because = reason.map { ": \($0)" } ?? ""
        return switch kind {
        case .made: "\(name): connected"
        case .there: "\(name): connected already"
        case .waiting: "\(name): waiting for \(reason ?? "a port")"
        case .removed: "\(name): somebody has removed it; it is made again when one of the two comes back"
        case .stopped: "\(name): somebody has removed it twice; it is not made again"
        case .failed: "\(name): not connected\(because)"
        case .leftOut: "\(name): left out\(because)"
        case .gone: "\(name): gone"
        case .levelFailed: "\(name): its level could not be set\(because)"
        case .bypassed: "\(name): bypassed"
        case .live: "\(name): not bypassed"
        case .stateRestored: "\(name): its state is restored\(because)"
        case .stateFailed: "\(name): its state could not be restored\(because)"
        case .bypassFailed: "\(name): its bypass could not be set\(because)"
        }
    }

    /// Prints it: a sentence on a terminal, `key=value` pairs in a pipe.
    func report() {
        var values = [(key: "state", value: kind.rawValue), ("source", source)]
        if let destination { values.append(("destination", destination)) }
        if let reason { values.append(("reason", reason)) }
        print(Terminal.isInteractive ? TerminalText.printable(sentence) : KeyValueLine.text(values))
    }
}
