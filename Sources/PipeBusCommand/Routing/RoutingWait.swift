// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The ports that a routing waits for, for a person. Pure.
enum RoutingWait {
    /// The most ports that are named.
    private static let most = 6

    /// - Returns: the missing ports, each once; `nil` if none is missing, or as long as the routing has not seen the graph.
    static func missing(in status: RoutingStatus) -> String? {
        let waits = status.connections.map { line -> [String]? in
            if case .waiting(let missing) = line.state { missing } else { nil }
        }
        // Before it has seen the graph it waits for everything, and is not settled.
        guard status.isSettled || waits.contains(where: { $0 == nil }) else { return nil }
        var seen: Set<String> = []
        let names = waits.flatMap { $0 ?? [] }.filter { seen.insert($0).inserted }.naturallySorted { $0 }
        guard let last = names.last else { return nil }
        guard names.count > 1 else { return last }
        guard names.count > most else { return "\(names.dropLast().joined(separator: ", ")) and \(last)" }
        return "\(names.prefix(most).joined(separator: ", ")) and \(names.count - most) more"
    }

    /// Says once for whom `load` waits. Ends when that is said, or when the routing is released.
    ///
    /// - Parameter limit: in seconds.
    static func announce(_ routing: KeptRouting, within limit: Double) async {
        for await status in routing.statusUpdates {
            if status.isWhole { return }
            guard let missing = missing(in: status) else { continue }
            return Terminal.note("Waiting up to \(Decimal.text(limit)) s for \(missing); control-C ends it.")
        }
    }
}
