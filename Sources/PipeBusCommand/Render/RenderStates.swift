// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// The states of the filters' apps that run in the user's session: with them the render is what the user hears.
enum RenderStates {
    /// Asks all apps at once, each of them once.
    ///
    /// - Returns: the states by the ids of their apps; none of an app that does not run, or keeps none.
    /// - Throws: ``ToolFailure`` for an app that has a state and does not give it.
    static func save(of apps: [InstalledApp]) async throws -> [String: AppState] {
        let names = Dictionary(apps.map { ($0.id, $0.name) }) { first, _ in first }
        return try await withThrowingTaskGroup(of: (String, AppState?).self) { group in
            for (id, name) in names { group.addTask { (id, try await save(of: id, called: name)) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private static func save(of id: String, called name: String) async throws -> AppState? {
        do {
            if let state = try await AppStates.save(of: id) { return state }
            if try await AppStates.process(of: id) != nil {
                Terminal.note(
                    "\(name) runs and keeps no state, so it is rendered as it is when it has just been started.")
            }
            return nil
        } catch let error as PipeBusError where error.code == .noSessionBus {
            return nil
        } catch let error as PipeBusError {
            throw ToolFailure(
                "\(name) runs, and did not give its state (\(bare(error.message))); --no-state renders it as it is when it has just been started."
            )
        }
    }

    /// Gives a filter the state of its app.
    ///
    /// - Throws: ``ToolFailure``.
    static func load(_ state: AppState, into app: InstalledApp, of host: RenderHost) async throws {
        guard host.hasBus == true else {
            throw ToolFailure(
                "\(app.name) cannot be given its state without a bus of its own; install dbus-daemon, or give --no-state."
            )
        }
        do {
            let message = try await AppStates.load(state, into: app.id, onBusAt: host.bus, waitingFor: .seconds(3))
            Terminal.note("\(app.name) has the state of the process that runs\(message.map { ": \($0)" } ?? "").")
        } catch let error as PipeBusError {
            throw ToolFailure(
                "\(app.name) did not take its state (\(bare(error.message))); --no-state renders it as it is when it has just been started."
            )
        }
    }

    private static func bare(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
}
