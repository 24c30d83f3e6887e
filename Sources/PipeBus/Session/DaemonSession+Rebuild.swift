// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Makes a graph from the declarations.
extension DaemonSession {
    /// Makes everything that is declared and can be made now.
    ///
    /// 1. Nodes with their order, title, flags, latency and bypass.
    /// 2. Connections of ports that exist, in the order in which they were made. The others follow when their ports appear.
    /// 3. The level of each source, when the source is connected.
    ///
    /// Nodes come before connections for two reasons. An order's link that is made after an audio loop becomes the
    /// feedback link. And audio that starts before all ports exist reaches only some of them.
    ///
    /// - Throws: the first error of a port, after everything else is made; at once when the session has ended.
    func rebuild() async throws {
        var firstError: (any Error)?
        do {
            try await makePorts()
        } catch {
            try connection.checkOpen()
            firstError = error
        }
        try await restorer.attemptAll()
        startRestoring()
        if let firstError { throw firstError }
    }

    /// Publishes what is declared, and makes every declared port that is not in the graph. A port that fails does not stop the others, unless the daemon stands
    /// still.
    ///
    /// - Throws: the first error; at once when the session has ended.
    func makePorts() async throws {
        // First, so that a receiver's levels can be requested from the moment at which it appears.
        let hasSharedLevels = declared.ports.contains { $0.declaration.hasSharedLevels }
        if hasSharedLevels || !declared.triggers.all.isEmpty { await sharing.start() }
        await dataPublisher.publishAll()
        var firstError: (any Error)?
        for port in declared.ports where declared.contains(port.handle) {
            do {
                _ = try await add(port)
                lostPorts.restored(port.handle)
            } catch {
                try connection.checkOpen()
                // A port that the app closes in the meantime is no error.
                guard declared.contains(port.handle) else { continue }
                firstError = firstError ?? error
                failedToMake(port, error)
                // A daemon that stands still makes none of the others either.
                if (error as? PipeBusError)?.code == .timedOut, await connection.isDaemonSilent() { break }
            }
        }
        if let firstError { throw firstError }
    }

    /// A failure is reported after this number of attempts, and tried again all the same.
    private static let silentFailures = 3

    private func failedToMake(_ port: DeclaredPort, _ error: any Error) {
        guard lostPorts.failed(port.handle, at: .now) == Self.silentFailures else { return }
        notices.post(
            Notice(
                kind: .portNotRestored, port: port.name,
                message: "The port \"\(Names.shown(port.title))\" could not be added to the graph, and is tried again: "
                    + "\((error as? PipeBusError)?.message ?? "\(error)")"))
    }

    // MARK: What comes later

    /// Starts a task that calls ``restore()``, if anything is to be made again.
    func startRestoring() {
        guard connection.isOpen, !lostPorts.isEmpty || !restorer.isDone, restorer.begin() else { return }
        startRestoringTask()
    }

    /// Makes ports that another program removed, and connections, until nothing is left to be made again.
    func restore() async {
        defer { restorer.end() }
        while connection.isOpen {
            // The app may have closed a port that is in no graph.
            lostPorts.keep(declared.contains)
            if lostPorts.isEmpty, restorer.isDone { return }
            do {
                try await restoreDuePorts()
                try await restorer.attemptAll()
                try await waitForAttempt()
            } catch {
                // The session has ended. The next one begins anew.
                return
            }
        }
    }

    private func restoreDuePorts() async throws {
        guard let due = lostPorts.nextAttempt, due <= .now else { return }
        do { try await makePorts() } catch { try connection.checkOpen() }
    }

    /// Waits until an attempt may succeed: until the graph has changed, or the delay after a failure has passed.
    private func waitForAttempt() async throws {
        let deadline = [lostPorts.nextAttempt, restorer.nextAttempt].compactMap { $0 }.min()
        do {
            var isFirst = true
            _ = try await connection.firstResult(
                by: deadline ?? .now.advanced(by: .seconds(3600)), waitingFor: "a port"
            ) {
                defer { isFirst = false }
                return isFirst ? nil : true
            }
        } catch let error as PipeBusError where error.code == .timedOut {}
    }
}
