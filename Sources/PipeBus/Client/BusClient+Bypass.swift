// SPDX-License-Identifier: MIT

extension BusClient {
    /// Whether a filter is bypassed, of this app or of another one.
    ///
    /// - Parameter filter: a port, or the name of an app or a filter as ``ConnectionGraph/GraphSnapshot/port(named:as:)``
    ///   has them; an app's stands for its first filter.
    /// - Throws: ``PipeBusError`` `unknownPort`, `notSupported` for what is no PipeBus filter, `connectionLost`, `closed`;
    ///   `timedOut` when the daemon does not answer.
    public func isBypassed(_ filter: some PortDesignator & Sendable) async throws -> Bool {
        try await live().isBypassed(filter.portDesignation)
    }

    /// Bypasses a filter, of this app or of another one, or ends that, and waits until the filter's app has done it; the
    /// sound follows by itself. See ``FilterPort/setBypassed(_:)``.
    ///
    /// The other app has two seconds for its answer; the connection that it is asked over, which takes milliseconds with a
    /// daemon that is well, has two more. An app that stands still does what it was asked when it goes on.
    ///
    /// - Throws: ``PipeBusError`` as ``isBypassed(_:)`` does, `timedOut` after that time, `noPermission`, and `closed` when
    ///   the client is closed meanwhile.
    public func setBypassed(_ isBypassed: Bool, of filter: some PortDesignator & Sendable) async throws {
        try await cancellable { session in
            try await session.setBypassed(isBypassed, of: filter.portDesignation)
        }
    }

    /// For tests: delay lines that a filter has, and whether its cycles are plain.
    package func bypassRemains(of port: LocalPort) -> (lineCount: Int, isPlain: Bool) {
        guard let node = try? session?.livePort(port.handle) else { return (0, true) }
        return (node.bypass?.lineCount ?? 0, !node.status.value.has(.isBypassing))
    }
}
