// SPDX-License-Identifier: MIT
import PipeBus

/// Finds what has changed from one status of a routing to the next. Pure.
struct RoutingChanges {
    /// A connection while its ports are there, or one that waits for a port.
    private struct Place: Hashable {
        var index: Int
        var source: GraphPort.ID?
        var destination: GraphPort.ID?
    }

    private var shown: [Place: RoutingEvent] = [:]
    private var shownProblems: [Place: String] = [:]
    private var shownBypasses: [GraphPort.ID: RoutingEvent] = [:]
    private var isComplete = true

    /// The events to show, in the order of the routing.
    mutating func events(of status: RoutingStatus) -> [RoutingEvent] {
        var events: [RoutingEvent] = []
        var present: Set<Place> = []
        for line in status.connections {
            let isWaiting = if case .waiting = line.state { true } else { false }
            let place = Place(
                index: line.index, source: isWaiting ? nil : line.source,
                destination: isWaiting ? nil : line.destination)
            present.insert(place)
            if let event = RoutingEvent(line), shown[place] != event {
                shown[place] = event
                events.append(event)
            }
            if let problem = line.levelProblem, shownProblems[place] != problem {
                shownProblems[place] = problem
                events.append(RoutingEvent(.levelFailed, line.sourceName, line.destinationName, reason: problem))
            }
        }
        for line in status.bypasses {
            guard let event = RoutingEvent(line), shownBypasses[line.filter] != event else { continue }
            shownBypasses[line.filter] = event
            events.append(event)
        }
        let gone = shown.filter { !present.contains($0.key) }
        for (place, event) in gone {
            (shown[place], shownProblems[place]) = (nil, nil)
            // Where all of it waits for a port, that says enough.
            guard place.source != nil, !present.contains(Place(index: place.index)), event.kind != .leftOut else {
                continue
            }
            events.append(RoutingEvent(.gone, event.source, event.destination))
        }
        let filters = Set(status.bypasses.map(\.filter))
        shownBypasses = shownBypasses.filter { filters.contains($0.key) }
        return events
    }
}
