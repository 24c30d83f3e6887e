// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Makes a graph from the declarations.
extension DaemonSession {
    /// Makes everything that is declared.
    ///
    /// 1. Nodes with their order, title, flags, latency and bypass.
    /// 2. Connections, in the order in which the app made them. A connection without one of its ports is left out, and
    ///    declared no more.
    /// 3. The level of each source, when the source is connected.
    ///
    /// Nodes come before connections for two reasons. An order's link that is made after an audio loop becomes the
    /// feedback link. And audio that starts before all ports exist reaches only some of them.
    ///
    /// - Throws: the first error, after everything else is made; at once when the session has ended.
    func rebuild() async throws {
        // The connections of earlier sessions: the app may make others while ports are made.
        let declarations = declared.connections
        // First, so that a receiver's levels can be requested from the moment at which it appears.
        if declared.ports.contains(where: { $0.declaration.kind == .receiver }) { await sharing.start() }
        var firstError: (any Error)?
        for port in declared.ports where declared.contains(port.handle) {
            do {
                _ = try await add(port)
            } catch {
                try connection.checkOpen()
                // A port that the app closes in the meantime is no error.
                if declared.contains(port.handle) { firstError = firstError ?? error }
            }
        }
        var numbers: [ConnectionDeclaration: Int] = [:]
        for declaration in declarations where tracker.isPending(declaration) {
            let number = numbers[declaration, default: 0]
            numbers[declaration] = number + 1
            do {
                try await remake(declaration, number: number)
            } catch {
                try connection.checkOpen()
                // A connection that the app ends in the meantime is no error, nor is one whose port it closes.
                if tracker.isPending(declaration) { firstError = firstError ?? error }
                tracker.forget(pending: declaration)
            }
        }
        if let firstError { throw firstError }
    }

    private func remake(_ declaration: ConnectionDeclaration, number: Int) async throws {
        guard let (source, destination) = tracker.ports(of: declaration, number: number) else {
            return tracker.forget(pending: declaration)
        }
        let pendingCount = tracker.pendingCount(of: declaration)
        do {
            _ = try await connector.connect(
                .id(source.id), to: .id(destination.id), lingers: false, timeout: .seconds(10))
        } catch let error as PipeBusError where error.code == .alreadyConnected {
            // Another program has made the connection already, or the app itself.
            tracker.add(from: source, to: destination)
        }
        // Another app's id may have been unknown before, or may be now. Then the connection is declared in another form.
        if tracker.pendingCount(of: declaration) == pendingCount { tracker.forget(pending: declaration) }
    }
}
