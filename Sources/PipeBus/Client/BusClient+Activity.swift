// SPDX-License-Identifier: MIT

extension BusClient {
    /// What the daemon measures in the cycles of all nodes of the graph, as a table such as `pipebus top` shows it.
    ///
    /// The daemon's profiler is in use while there is a reader, which costs the daemon about a third more processor
    /// time. Daemons before 1.4 report up to a second late, and every app then finds a source that hangs up to a second
    /// later. The sequence goes on over interruptions.
    ///
    /// - Parameter interval: time from one element to the next, clamped to 50 milliseconds … 1 hour. The first comes after it.
    public nonisolated func activity(every interval: Duration = .seconds(1)) -> Updates<GraphActivity> {
        let pace = min(max(interval, .milliseconds(50)), .seconds(3600))
        return Updates { [self] in
            var reader: Int?
            return {
                if reader == nil { reader = await self.beginActivity(readEvery: pace) }
                guard let reader, (try? await Task.sleep(for: pace)) != nil else { return nil }
                return await self.takeActivity(of: reader, every: pace)
            }
        }
    }

    private func beginActivity(readEvery pace: Duration) -> Int {
        activityReaders += 1
        _ = takeActivity(of: activityReaders, every: pace)
        return activityReaders
    }

    /// - Returns: `nil` once the client has ended.
    private func takeActivity(of reader: Int, every pace: Duration) -> GraphActivity? {
        guard termination.error == nil, jobs != nil else { return nil }
        guard let session, session.connection.isOpen else { return GraphActivity(isMeasured: false, nodes: []) }
        return session.activity.take(by: reader, every: pace)
    }
}
