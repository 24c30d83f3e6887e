// SPDX-License-Identifier: MIT
import Foundation
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// What an app does while it has no daemon.
final class DaemonAwayTests: DaemonTestCase {
    /// A loop that never waits would take all of a processor's time.
    func testAnAppTakesHardlyAnyProcessorTime() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let app = try await Peer.start("App", on: daemon, client: installation)
            try await app.addSender("out", .constant(0.5))
            try await app.addReceiver("in")
            try await daemon.kill()
            try await eventually("the interruption") { try await app.states().last?.kind == "daemonGone" }
            let (start, before) = (ContinuousClock.now, try ProcessFigures.processorTime(of: app.process.pid))
            try await eventually("three seconds to pass") { start.duration(to: .now) > .seconds(3) }
            let work = try ProcessFigures.processorTime(of: app.process.pid) - before
            let share = work / (start.duration(to: .now) / .seconds(1))
            print("an app without a daemon took \(work) s of processor time in three seconds")
            XCTAssertLessThan(share, 0.1)
            try daemon.startAgain()
            try await eventually("the app to run") { try await app.states().last?.kind == nil }
            try await app.close()
        }
    }

    func testProcessorTimeIsThatOfTheProcess() throws {
        let (before, start) = (try ProcessFigures.processorTime(), clock())
        while clock() - start < 300_000 {}
        let seconds = Double(clock() - start) / 1e6
        XCTAssertEqual(try ProcessFigures.processorTime() - before, seconds, accuracy: 0.1)
    }

    /// The next attempt to connect would be made an hour later: only the socket's directory says that a daemon is there.
    func testTheSocketEndsTheLongestPause() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let backOff = BackOff(grownTo: .seconds(3600))
            let earlier = try await BusClient.connect(
                as: "org.pipebus.earlier", name: "Earlier", remote: daemon.remote, recorder: nil, backOff: backOff)
            let port = try await earlier.sender("out", state: ()) { _, _, _ in }
            let watches = try watchCount()
            try await daemon.kill()
            let later = try await BusClient.connect(
                as: "org.pipebus.later", name: "Later", remote: daemon.remote, waitsForDaemon: true, recorder: nil,
                backOff: backOff)
            // A socket that appears before would be overlooked.
            try await eventually("both to wait for the socket") { try watchCount() >= watches + 2 }
            XCTAssertEqual(earlier.state.reason?.kind, .daemonGone)
            XCTAssertEqual(later.state.reason?.kind, .notRunning)
            try daemon.startAgain()
            try await eventually("both to run", within: .seconds(60)) {
                earlier.state == .running && later.state == .running
            }
            XCTAssertNotNil(port.graphID)
            await earlier.close()
            await later.close()
        }
    }

    /// The number of this process's inotify descriptors that watch something.
    private func watchCount() throws -> Int {
        let folder = "/proc/self/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            // One that is gone is the folder's own.
            (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))?.contains("inotify wd:") == true
        }
    }
}
