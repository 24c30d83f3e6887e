// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of the fault suite: performs a case on both versions of PipeWire.
class FaultTestCase: DaemonTestCase {
    func check(_ fault: FaultCase) async throws {
        for installation in PipeWireInstallation.all {
            try await FaultScene.check(fault, on: try await startDaemon(installation: installation))
        }
    }
}
