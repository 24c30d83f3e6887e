// SPDX-License-Identifier: MIT
package import PipeBusTesting
import XCTest

/// The base of tests with private daemons: they end with the test, and a test that fails shows what they logged.
open class DaemonTestCase: BusTestCase {
    private var daemons: [HeadlessPipeWire] = []

    /// Starts a daemon that lives as long as the test.
    ///
    /// - Parameter limit: it is killed after that time at the latest.
    package func startDaemon(
        _ configuration: HeadlessPipeWire.Configuration = .init(), installation: PipeWireInstallation = .chosen,
        limit: Duration = .seconds(300)
    ) async throws -> HeadlessPipeWire {
        let daemon = try await HeadlessPipeWire.start(configuration, installation: installation, limit: limit)
        daemons.append(daemon)
        return daemon
    }

    // Not calling super's, which does nothing and cannot be called with this object from here.
    open override func tearDown() async throws {
        for daemon in daemons {
            if let run = testRun, run.totalFailureCount > 0 {
                print("--- log of the daemon at \(daemon.remote)\n\(daemon.log)")
            }
            try await daemon.close()
        }
        daemons = []
    }
}
