// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A daemon whose socket the user may not use, for a while.
final class SocketPermissionTests: ToolTestCase {
    func testPermissionThatIsTakenAndGivenBack() async throws { try await takeAndGiveBack(.chosen) }
    func testWithANewerPipeWire() async throws { try await takeAndGiveBack(.newer()) }

    private func takeAndGiveBack(_ installation: PipeWireInstallation) async throws {
        try XCTSkipUnless(getuid() == 0, "takes root, to become somebody whom permissions hold")
        let nobody = ["setpriv", "--reuid=nobody", "--clear-groups"]
        let help = try await start("tone-sender", ["--help"], through: nobody).waitForEnd()
        try XCTSkipUnless(help == .exited(0), "nobody may not run what is built here")
        let daemon = try await startDaemon(installation: installation)
        let bus = try await connectClient(to: daemon.remote)
        try setMode(0o755, of: daemon.directory)
        try setMode(0o600, of: daemon.remote)

        // Refused at once without the option, with the true reason.
        let environment = daemon.environment()
        let refused = try start("tone-sender", ["--frequency", "440"], at: environment, through: nobody)
        try await assertOneSentence(refused, from: "tone-sender", status: 1, saying: "This user may not use")

        let tone = try start("tone-sender", ["--wait", "--frequency", "440"], at: environment, through: nobody)
        try await eventually("it to wait") { tone.errors.text.contains("This user may not use") }
        try setMode(0o666, of: daemon.remote)
        try await eventually("its port") { await bus.graph.ports.contains { $0.nodeName == "Tone.out" } }
        let input = try await bus.receiver("in", state: ()) { _, _, _ in }
        try await bus.connect("Tone", to: input)
        try await eventually("sound") { input.mixMeter.peak > 0 }

        // Taken while the daemon is away, and given back.
        var leaks = try await LeakCheck([("tone-sender", tone.pid)], at: daemon)
        let cycles = try await input.statistics.cycles
        try await daemon.kill()
        try await eventually("the interruption") { tone.errors.text.contains("has ended") }
        try daemon.startAgain()
        try await daemon.waitUntilItListens()
        try setMode(0o600, of: daemon.remote)
        try await eventually("the daemon") { bus.state == .running }
        try setMode(0o666, of: daemon.remote)
        let given = ProcessFigures.now
        try await eventually("its port again") { await bus.graph.ports.contains { $0.nodeName == "Tone.out" } }
        try await eventually("sound again") {
            try await input.statistics.cycles > cycles + 1 && input.mixMeter.peak > 0
        }
        let back = (ProcessFigures.now - given) / 1_000_000
        try leaks.measure()
        // The tool has the library of 0.3.65, which keeps one for each connection of ports at a newer daemon.
        let kept = installation == .chosen ? 0 : 2
        try await leaks.assertNothingIsLeft(
            by: "socket permission removed", spareDescriptors: LeakCheck.spareDescriptors + kept)
        FaultTable.shared.add(
            FaultTable.Row(
                "socket permission removed and given back", saw: ["interrupted noPermission", "running"],
                back: "\(back)", kept: leaks.words, on: installation))
        tone.signal(SIGINT)
        _ = try await figures(of: tone)
    }

    private func setMode(_ mode: mode_t, of path: String) throws {
        guard unsafe chmod(path, mode) == 0 else { throw TestKitError("The mode of \(path) could not be set.") }
    }
}
