// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeWireClient
import XCTest

/// The library's errors for failures that are forced in its calls of PipeWire. No daemon is reached.
final class ForcedErrorTests: BusTestCase {
    private func connect(forcing code: Int32) async -> (PipeBusError?, [String]) {
        let recorder = CallRecorder()
        recorder.force(code, for: "pw_context_connect")
        do {
            let client = try await BusClient.connect(
                as: "org.example.test", name: "Test", remote: "/nowhere/pipewire-0", recorder: recorder)
            await client.close()
            return (nil, recorder.calls)
        } catch {
            return (error as? PipeBusError, recorder.calls)
        }
    }

    func testEveryCauseOfAFailedConnectHasItsCode() async {
        let causes: [(Int32, PipeBusError.Code)] = [
            (EHOSTDOWN, .noDaemon), (ECONNREFUSED, .noDaemon), (EACCES, .noPermission), (EPERM, .noPermission),
            (EPROTO, .incompatible), (EIO, .pipeWire),
        ]
        for (errno, code) in causes {
            let (error, calls) = await connect(forcing: errno)
            XCTAssertEqual(error?.code, code)
            XCTAssertEqual(calls, ["pw_context_new", "pw_context_connect"])
        }
    }

    func testWithoutTheRealtimeConfigurationTheOrdinaryOneIsTried() async {
        guard PipeWireConnection.libraryVersion < .loadsRealtimeModuleByDefault else { return }
        let recorder = CallRecorder()
        recorder.force(ENOENT, for: "pw_context_new")
        recorder.force(EHOSTDOWN, for: "pw_context_connect")
        do {
            _ = try await BusClient.connect(
                as: "org.example.test", name: "Test", remote: "/nowhere/pipewire-0", recorder: recorder)
            XCTFail("there is a daemon nowhere")
        } catch {
            XCTAssertEqual((error as? PipeBusError)?.code, .noDaemon)
            XCTAssertEqual(recorder.calls, ["pw_context_new", "pw_context_new", "pw_context_connect"])
        }
    }

    func testWithoutADaemonTheSocketIsNamed() async {
        let (error, _) = await connect(forcing: EHOSTDOWN)
        XCTAssertEqual(
            error?.message,
            "No PipeWire daemon answers at /nowhere/pipewire-0; start it, or name another one (PIPEWIRE_REMOTE)."
        )
    }

    func testWithoutADaemonNothingHangs() async {
        do {
            _ = try await BusClient.connect(as: "org.example.test", name: "Test", remote: "/nowhere/pipewire-0")
            XCTFail("there is a daemon nowhere")
        } catch {
            XCTAssertEqual((error as? PipeBusError)?.code, .noDaemon)
        }
    }
}
