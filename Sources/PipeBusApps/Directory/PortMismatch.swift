// SPDX-License-Identifier: MIT
public import PipeBus

/// A difference between the ports that an app declares and those that it has.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum PortMismatch: Sendable, Hashable {
    /// The app runs and does not have the declared port.
    case missing(AppPort)
    /// The app has a port that it does not declare.
    case undeclared(GraphPort)
    /// The port is of another kind, or has other channels, than is declared.
    case different(declared: AppPort, actual: GraphPort)
}

extension PortMismatch: CustomStringConvertible {
    /// One sentence for a person, such as "“fx” is declared as a filter with 2 channels and is a sender with 1 channel".
    public var description: String {
        switch self {
        case .missing(let port): "“\(port.name)” is declared as \(port.form) and is not there"
        case .undeclared(let port): "“\(port.name)” is not declared, and is \(AppPort(port).form)"
        case .different(let declared, let actual):
            "“\(declared.name)” is declared as \(declared.form) and is \(AppPort(actual).form)"
        }
    }
}

extension InstalledApp {
    /// The differences between the app's declared ports and those in the graph; empty while the app does not run.
    ///
    /// An app adds its ports one after the other: ask again a moment after its start. Auxiliary inputs need not be declared.
    public func mismatches(in graph: GraphSnapshot) -> [PortMismatch] {
        isRunning(in: graph) ? PortMismatch.all(between: ports, presentPorts(in: graph)) : []
    }
}

extension AppRegistration {
    /// The differences between the ports that are declared and those that the app has in the graph.
    ///
    /// Ask when the app has added all of its ports, and show the answer to the developer.
    public func mismatches(in graph: GraphSnapshot) -> [PortMismatch] {
        PortMismatch.all(
            between: ports,
            graph.peers.filter { $0.applicationID == id }.flatMap { graph.ports(of: $0.id) }.filter(\.isPipeBus))
    }
}

extension PortMismatch {
    static func all(between declared: [AppPort], _ present: [GraphPort]) -> [PortMismatch] {
        // A second process of the app has the same ports once more.
        var names: Set<String> = []
        let present = present.filter { $0.auxiliaryOf == nil && names.insert($0.name).inserted }
        let byName = Dictionary(present.map { ($0.name, $0) }) { first, _ in first }
        let differences = declared.compactMap { port -> PortMismatch? in
            guard let actual = byName[port.name] else { return .missing(port) }
            return AppPort(actual).hasForm(of: port) ? nil : .different(declared: port, actual: actual)
        }
        let declaredNames = Set(declared.map(\.name))
        return differences + present.filter { !declaredNames.contains($0.name) }.map { .undeclared($0) }
    }
}

extension AppPort {
    /// The declaration that fits a port.
    init(_ port: GraphPort) {
        self.init(
            name: port.name, kind: port.kind, inputCount: port.kind == .sender ? 0 : port.laneWidth,
            outputCount: port.kind == .receiver ? 0 : port.outputs.count, title: port.title)
    }

    /// Whether kind and channels are the same.
    func hasForm(of other: AppPort) -> Bool {
        kind == other.kind && inputCount == other.inputCount && outputCount == other.outputCount
    }

    /// The kind and the channels, for a person.
    var form: String {
        func channels(_ count: Int) -> String { count == 1 ? "1 channel" : "\(count) channels" }
        switch kind {
        case .sender: return "a sender with \(channels(outputCount))"
        case .receiver: return "a receiver with \(channels(inputCount))"
        case .filter where inputCount == outputCount: return "a filter with \(channels(inputCount))"
        case .filter: return "a filter with \(channels(inputCount)) in and \(outputCount) out"
        }
    }
}
