// SPDX-License-Identifier: MIT

extension BusClient {
    /// Whether a filter of this app or of another one is bypassed.
    ///
    /// The filter must be there: the call does not wait for a name.
    ///
    /// - Parameter filter: a port, or the name of an app or a filter; see
    ///   ``ConnectionGraph/GraphSnapshot/port(named:as:)``. An app's name means its first filter.
    /// - Throws: ``PipeBusError`` `unknownPort`, `notSupported` for a port that is no PipeBus filter, `connectionLost`,
    ///   `closed`; `timedOut` when the daemon does not answer.
    public func isBypassed(_ filter: some PortDesignator & Sendable) async throws -> Bool {
        try await liveSession().bypasses.isBypassed(filter.portDesignation)
    }

    /// Starts or ends the bypass of a filter of this app or of another one, and waits until the filter's app has done so.
    /// The sound follows by itself; see ``FilterPort/setBypassed(_:)``. The filter must be there: the call does not wait for a name.
    ///
    /// The connection for the request has two seconds, of which it usually takes milliseconds. The other app's answer has
    /// two more. A suspended app follows the request when it resumes.
    ///
    /// - Throws: ``PipeBusError`` as ``isBypassed(_:)`` does, `timedOut` after these limits, `noPermission`, and `closed`
    ///   when the client is closed in the meantime.
    public func setBypassed(_ isBypassed: Bool, of filter: some PortDesignator & Sendable) async throws {
        try await cancellable(by: .now) { session in
            try await session.bypasses.setBypassed(isBypassed, of: filter.portDesignation)
        }
    }

    /// For tests: the number of a filter's delay lines, and whether its cycles are plain.
    package func bypassResources(of port: LocalPort) -> (lineCount: Int, isPlain: Bool) {
        guard let port = try? session?.livePort(port.handle) else { return (0, true) }
        return (port.bypassLineCount, !port.declared.handle.status.value.has(.isBypassing))
    }
}
