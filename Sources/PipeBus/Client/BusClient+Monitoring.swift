// SPDX-License-Identifier: MIT

/// Receivers that play their mix by themselves.
extension BusClient {
    func monitorsAutomatically(_ port: PortHandle) throws -> Bool { try declaredPort(port).monitor != nil }

    func setMonitorsAutomatically(_ monitors: Bool, at port: ReceiverPort) async throws {
        if monitors {
            try await monitorLock.withLock { try await self.beginMonitoring(at: port) }
        } else {
            _ = try declaredPort(port.handle)
            await endMonitoring(of: port.handle)
        }
    }

    private func beginMonitoring(at port: ReceiverPort) async throws {
        let declaredPort = try declaredPort(port.handle)
        guard declaredPort.monitor == nil else { return }
        try DeclaredMonitor.check(receiver: port.name)
        let memory = MonitorMemory(width: port.channels.count, isSeparate: port.isSeparate)
        let monitor = try await sender(
            DeclaredMonitor.name(for: port.name), title: DeclaredMonitor.title(for: declaredPort.title),
            channels: port.channels, latency: .following(port), state: MonitorOutlet(memory)
        ) { outlet, cycle, output in outlet.play(cycle, &output) }
        guard declared.contains(port.handle) else {
            await closePort(monitor.handle)
            throw PipeBusError(.closed, "The port \"\(Names.shown(port.name))\" was closed meanwhile.")
        }
        try self.declaredPort(monitor.handle).change { $0.isMonitor = true }
        port.memory.streams.setMonitor(memory)
        declaredPort.keep(monitor: DeclaredMonitor(port: monitor.handle, memory: memory))
        session?.monitors.update()
    }

    /// Ends the monitor of a receiver, faded out. Idempotent.
    func endMonitoring(of port: PortHandle) async {
        await monitorLock.withLock {
            guard let receiver = declared.port(of: port), let monitor = receiver.monitor else { return }
            if let session, session.connection.isOpen { await session.monitors.end(receiver.name) }
            receiver.endMonitor()
            await closePort(monitor.port)
            session?.monitors.update()
        }
    }
}
