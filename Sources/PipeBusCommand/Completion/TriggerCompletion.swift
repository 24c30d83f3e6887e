// SPDX-License-Identifier: MIT
import PipeBus

/// The names of triggers that may stand at a place of a command line. Pure.
struct TriggerCompletion {
    private let request: CompletionRequest
    /// The apps whose triggers are wanted. No other app is asked.
    let apps: [Peer]

    init(_ request: CompletionRequest, in graph: GraphSnapshot) {
        self.request = request
        let all = TriggerListing.apps(in: graph)
        guard request.slot == .trigger else {
            apps = TypedApp.all(request.earlier.last ?? "", in: graph, among: all)
            return
        }
        let named = TypedTrigger.splits(request.current).flatMap { TypedApp.all($0.app, in: graph, among: all) }
        apps = named.isEmpty ? all : named
    }

    /// - Parameter listing: the triggers of ``apps``, as far as they have answered.
    /// - Returns: names that begin with what is typed, in any case.
    func names(in listing: TriggerListing) -> [String] {
        let triggers = listing.triggers
        func unique(_ names: [String]) -> [String] {
            let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
            return names.filter { counts[$0] == 1 && TypedApp.isTypable($0) }
        }
        let (ids, titles) = (unique(triggers.map(\.id)), unique(triggers.map(\.title)))
        let names = triggers.map(\.name).filter(TypedApp.isTypable)
        return OfferedNames.beginning(
            request.current, in: request.slot == .trigger ? [names, ids, titles] : [ids, titles])
    }
}
