// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// A trigger as a person named it: by its app and itself, or by one of the two where only one fits. Pure.
struct TypedTrigger {
    /// One way to read what was typed.
    private struct Reading {
        var apps: [Peer]
        /// `nil` where any trigger is meant.
        var trigger: TypedName?
    }

    private let text: String
    /// Empty if no app is named for certain.
    private let readings: [Reading]
    /// The apps that can be meant. No other app is asked.
    let apps: [Peer]
    /// Those whose name fits.
    private let named: [Peer]

    /// - Parameter trigger: the second word.
    /// - Throws: ``ToolFailure`` if the first of two words names no app.
    init(_ name: String, _ trigger: String?, in graph: GraphSnapshot) throws {
        let all = TriggerListing.apps(in: graph)
        if let trigger {
            text = "\(name):\(trigger)"
            let found = TypedApp.all(name, in: graph, among: all)
            if found.isEmpty {
                if let other = TypedApp.all(name, in: graph).first {
                    throw ToolFailure("\(other.name.quoted) has no trigger.")
                }
                throw TypedApp.failure(name, [], in: graph, among: all)
            }
            readings = [Reading(apps: found, trigger: TypedName(trigger))]
        } else {
            text = name
            let exact = TypedApp.exactly(name, in: graph, among: all)
            readings =
                exact.isEmpty
                ? Self.splits(name).map { app, trigger in
                    Reading(apps: TypedApp.all(app, in: graph, among: all), trigger: TypedName(trigger))
                }.filter { !$0.apps.isEmpty } : [Reading(apps: exact, trigger: nil)]
        }
        let read = Set(readings.flatMap(\.apps).map(\.id))
        named = readings.isEmpty ? TypedApp.all(text, in: graph, among: all) : all.filter { read.contains($0.id) }
        apps = readings.isEmpty ? all : named
    }

    /// The ways to read a text as an app and a trigger. The unique name of a port has a ":" too.
    static func splits(_ text: String) -> [(app: String, trigger: String)] {
        text.indices.filter { text[$0] == ":" }.map {
            (String(text[..<$0]), String(text[text.index(after: $0)...]))
        }
    }

    /// - Parameter listing: the triggers of ``apps``.
    /// - Throws: ``ToolFailure``.
    func find(in listing: TriggerListing) throws -> TriggerListing.Entry {
        let (found, comparison) = fitting(listing.triggers)
        guard found.count == 1 else { throw failure(found, comparison, in: listing) }
        // An app that does not answer may have one of that name too.
        let isCertain = readings.isEmpty && comparison != .beginning
        if !isCertain, let problem = named.lazy.compactMap({ listing.silent[$0.id] }).first {
            throw ToolFailure(
                "\(text.quoted) may be the name of another trigger than \(found[0].name.quoted); name that one so. \(problem)"
            )
        }
        return found[0]
    }

    /// Those that the strictest comparison fits that fits any.
    private func fitting(
        _ triggers: [TriggerListing.Entry]
    ) -> (found: [TriggerListing.Entry], comparison: TypedName.Comparison) {
        let name = TypedName(text)
        for comparison in TypedName.Comparison.allCases {
            let found = triggers.filter { entry in
                guard readings.isEmpty else {
                    return readings.contains { reading in
                        reading.apps.contains { $0.id == entry.peer }
                            && reading.trigger?.fits(anyOf: [entry.id, entry.title], comparison) != false
                    }
                }
                return name.fits(anyOf: [entry.id, entry.title, entry.app], comparison)
            }
            if !found.isEmpty { return (found, comparison) }
        }
        // By the app's id, or one of its ports.
        let peers = Set(named.map(\.id))
        return (readings.isEmpty ? triggers.filter { peers.contains($0.peer) } : [], .beginning)
    }

    private func failure(
        _ found: [TriggerListing.Entry], _ comparison: TypedName.Comparison, in listing: TriggerListing
    ) -> ToolFailure {
        let names = (found.isEmpty ? listing.triggers : found).prefix(8).map(\.name.quoted).joined(separator: ", ")
        guard found.isEmpty else {
            return ToolFailure(
                comparison == .beginning
                    ? "\(text.quoted) could be any of \(names); say which."
                    : "\(text.quoted) is the name of \(found.count) triggers: \(names). Name one of them.")
        }
        if let problem = named.lazy.compactMap({ listing.silent[$0.id] }).first { return ToolFailure(problem) }
        let problem = listing.problems.first.map { " \($0)" } ?? ""
        guard !listing.triggers.isEmpty else {
            let app = readings.isEmpty ? nil : named.first?.name
            return ToolFailure((app.map { "\($0.quoted) has no trigger." } ?? "No app has a trigger.") + problem)
        }
        return ToolFailure(
            "There is no trigger called \(text.quoted)"
                + (nearest(in: listing).map { "; is \($0.quoted) meant? \"pipebus triggers\" shows all." }
                    ?? "; there is \(names).")
                + problem)
    }

    /// A name that is nearly the one that was typed.
    private func nearest(in listing: TriggerListing) -> String? {
        guard !readings.isEmpty else {
            return EditDistance.nearest(to: text, among: listing.triggers.flatMap { [$0.name, $0.id, $0.title] })
        }
        for reading in readings {
            let own = listing.triggers.filter { entry in reading.apps.contains { $0.id == entry.peer } }
            for names in [own.map(\.id), own.map(\.title)] {
                guard let trigger = reading.trigger,
                    let near = EditDistance.nearest(to: trigger.text, among: names),
                    let place = names.firstIndex(of: near)
                else { continue }
                return own[place].name
            }
        }
        return nil
    }
}
