// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Others destroy objects of the app in the graph, or change what drives it.
final class GraphFaultTests: FaultTestCase {
    /// A connection that somebody removes stays away, also over a restart of the daemon: see Decisions/0012. The link
    /// that keeps the order of the app's own ports is made again.
    func testEveryLinkDestroyed() async throws {
        try await check(
            FaultCase(
                name: "every link destroyed, then the daemon killed, and the app connects again",
                perform: { scene in
                    let struck = ProcessFigures.now
                    for link in try await scene.objects("Link") { try await scene.destroy(link) }
                    func isOrderAlone() async throws -> Bool {
                        let links = try await scene.dump().names.filter { $0.hasPrefix("Link ") }
                        return links == ["Link App.in:order_out App.out:order_in"]
                    }
                    // For a second a removed link may be taken for one of a node that is being removed.
                    for seconds in [1.2, 0.3] {
                        try await eventually("the link of the order alone") { try await isOrderAlone() }
                        try await scene.wait(seconds)
                        let isAlone = try await isOrderAlone()
                        XCTAssertTrue(isAlone, "a connection was made again")
                        if seconds > 1 { _ = try await scene.replaceDaemon() }
                    }
                    try await scene.connect()
                    try await scene.setValues()
                    return FaultCase.Moments(struck: struck, ended: struck, back: "when it is connected again")
                },
                sees: ["interrupted daemonGone", "running"]))
    }

    func testQuantumForcedThroughAllValues() async throws {
        try await check(
            FaultCase(
                name: "quantum forced through 16 … 8192",
                perform: { scene in
                    let struck = ProcessFigures.now
                    for quantum in [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 1024] {
                        try await scene.set("clock.force-quantum", to: quantum)
                        try await eventually("cycles of \(quantum)") { try await scene.heard().lastCycle == quantum }
                        try await scene.hearCycles(12)
                    }
                    try await scene.set("clock.force-quantum", to: 0)
                    return FaultCase.Moments(struck: struck, ended: ProcessFigures.now)
                },
                sees: [], interrupted: [], mostUnmarked: 32))
    }

    func testRateForcedThroughAllValues() async throws {
        try await check(
            FaultCase(
                name: "rate forced through 32 000 … 192 000 Hz",
                perform: { scene in
                    let struck = ProcessFigures.now
                    for rate in [32_000, 44_100, 88_200, 96_000, 176_400, 192_000, 48_000] {
                        try await scene.set("clock.force-rate", to: rate)
                        try await eventually("\(rate) Hz") { try await scene.heard().sampleRate == rate }
                        try await scene.hearCycles(12)
                    }
                    try await scene.set("clock.force-rate", to: 0)
                    return FaultCase.Moments(struck: struck, ended: ProcessFigures.now)
                },
                sees: [], interrupted: []))
    }

    func testDriverReplaced() async throws {
        try await check(
            FaultCase(
                name: "driver replaced by a device, which is then removed",
                perform: { scene in
                    let struck = ProcessFigures.now
                    try await scene.daemon.addDevice(named: "device")
                    try await scene.app.join("App/out", to: "device")
                    try await eventually("the device's clock") { try await scene.heard().clocks >= 1 }
                    try await scene.hearCycles(12)
                    let ids = try await scene.objects("Node") { $0.properties["node.name"] == "device" }
                    let ended = ProcessFigures.now
                    try await scene.destroy(try XCTUnwrap(ids.first))
                    try await eventually("the other clock") { try await scene.heard().clocks >= 2 }
                    return FaultCase.Moments(struck: struck, ended: ended)
                },
                sees: [], interrupted: [], leastClocks: 2))
    }
}
