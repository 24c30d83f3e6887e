// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// Connects the sources that `--from` names, for as long as the recorder runs. One that ends is connected again when it comes back.
/// One that somebody disconnects is not.
///
/// - Thread: any.
final class SourceConnections: Sendable {
    private struct State {
        /// The names of the sources that are not connected, in the order of the command line.
        var waiting: [String]
        /// Those that were connected once. That they have ended and are waited for again needs no word.
        var known: Set<String> = []
        var failure: (any Error)?
    }

    private let names: [String]
    private let state: Mutex<State>
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - names: in any form that `pipebus connect` takes.
    ///   - report: takes a sentence about a source that cannot be connected yet.
    init(_ names: [String], report: @escaping @Sendable (String) -> Void) {
        self.names = names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
        self.report = report
        state = Mutex(State(waiting: self.names))
    }

    /// The names of the sources that are waited for.
    var waiting: [String] { state.withLock(\.waiting) }

    /// The reason why a source can never be connected, if one cannot.
    var failure: (any Error)? { state.withLock(\.failure) }

    /// Refuses names that can never be those of a source, or stand for several ports.
    ///
    /// - Throws: ``PipeBusError``, ``ToolFailure``.
    func check(_ port: ReceiverPort, of bus: BusClient) async throws {
        guard !names.isEmpty else { return }
        let graph = await bus.graph
        for name in names {
            let lookup = graph.port(named: name, as: .source)
            if case .found = lookup { continue }
            if lookup == .missing, case .found(let own) = graph.port(named: name, as: .destination),
                own.id == port.graphID
            {
                throw ToolFailure(
                    "\(name.quoted) is this recorder, which cannot record itself; name another app, or record as one "
                        + "of another name.")
            }
            do {
                // What is wrong with a name is thrown at once, in the library's words.
                try await bus.connect(name, to: port, timeout: .zero)
            } catch let error as PipeBusError where error.code == .timedOut || error.code == .connectionLost {}
        }
    }

    /// Connects all sources until the task is cancelled or the client is closed.
    func run(_ port: ReceiverPort, of bus: BusClient) async {
        await withTaskGroup { group in
            for name in names { group.addTask { await self.keep(name, at: port, of: bus) } }
            group.addTask { await self.reportMissing(at: port, of: bus) }
        }
    }

    /// Says once what is waited for. A name may be mistyped, and in a pipe nothing else says that it is not there.
    private func reportMissing(at port: ReceiverPort, of bus: BusClient) async {
        // Most names that are to come are there by then.
        guard (try? await Task.sleep(for: .seconds(2))) != nil else { return }
        let unknown = state.withLock { state in state.waiting.filter { !state.known.contains($0) } }
        guard let sentence = MissingSources.sentence(for: unknown, at: port.graphID, in: await bus.graph) else {
            return
        }
        report(sentence)
    }

    private func keep(_ name: String, at port: ReceiverPort, of bus: BusClient) async {
        var reported: Set<String> = []
        while !Task.isCancelled {
            do {
                let source = try await connect(name, to: port, of: bus)
                setWaiting(name, false)
                guard await waitForDeparture(of: source, bus) else { return }
                setWaiting(name, true)
            } catch let error where Self.isFinal(error) {
                state.withLock { $0.failure = $0.failure ?? error }
                return
            } catch let error as PipeBusError where error.code != .closed {
                // A lost connection is reported for all of the tool.
                if error.code != .connectionLost, error.code != .timedOut, reported.insert(error.message).inserted {
                    report("\(name) is not connected yet: \(error.message)")
                }
                // What is in the way may go without a change of the graph. The pace of retries, not a wait for a result.
                try? await Task.sleep(for: .seconds(1))
            } catch {
                return
            }
        }
    }

    private static func isFinal(_ error: any Error) -> Bool {
        guard let error = error as? PipeBusError else { return false }
        return error.code == .selfConnection || error.code == .invalidArgument
    }

    /// Waits until a port has the name, and connects it.
    ///
    /// - Returns: the port.
    private func connect(_ name: String, to port: ReceiverPort, of bus: BusClient) async throws -> GraphPort.ID {
        do {
            return try await bus.connect(name, to: port, timeout: Self.patience).source
        } catch let error as PipeBusError where error.code == .alreadyConnected {
            // By another program, or again after a restart of the daemon.
            guard case .found(let source) = await bus.graph.port(named: name, as: .source) else { throw error }
            return source.id
        }
    }

    /// The time limit of a call, which is made again after it.
    private static let patience = Duration.seconds(24 * 3600)

    /// - Returns: whether the port has left the graph; false if the task is cancelled or the client was closed.
    private func waitForDeparture(of source: GraphPort.ID, _ bus: BusClient) async -> Bool {
        for await graph in bus.graphUpdates where graph.port(source) == nil { return true }
        return false
    }

    private func setWaiting(_ name: String, _ isWaiting: Bool) {
        state.withLock { state in
            let others = Set(state.waiting.filter { $0 != name })
            state.waiting = names.filter { others.contains($0) || isWaiting && $0 == name }
            if !isWaiting { state.known.insert(name) }
        }
    }
}
