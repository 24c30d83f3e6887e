// SPDX-License-Identifier: MIT
import Foundation

/// A program that does nothing but look at the graph.
enum IdleProgram: String, CaseIterable {
    /// Apps on PipeBus with one port.
    case sender
    case recorder
    /// The same events in C: it binds the objects that the library binds, and does nothing with them.
    case registry
    /// PipeWire's own tool, which prints all it hears.
    case monitor

    var title: String {
        switch self {
        case .sender: "sender"
        case .recorder: "recorder"
        case .registry: "C"
        case .monitor: "pw-mon"
        }
    }

    /// Starts one, and waits until it has its port.
    ///
    /// - Parameter name: of the app, unlike all others.
    func start(as name: String, in place: Workplace) throws -> Program {
        let program = try Program(command(name, place), name: name, in: place)
        guard self != .monitor else { return program }
        do {
            try program.waitForLine("ready", upTo: 60)
        } catch {
            program.end()
            throw error
        }
        return program
    }

    private func command(_ name: String, _ place: Workplace) -> [String] {
        func executable(_ name: String) -> String { place.executables.appendingPathComponent(name).path }
        return switch self {
        case .sender, .recorder: [executable("idle-pipebus"), name, rawValue]
        case .registry: [executable("idle-registry"), name]
        // Its output is not read.
        case .monitor: ["sh", "-c", "exec pw-mon > /dev/null"]
        }
    }
}
