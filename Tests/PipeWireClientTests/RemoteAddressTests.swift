// SPDX-License-Identifier: MIT
import Glibc
import PipeWireClient
import XCTest

final class RemoteAddressTests: XCTestCase {
    private func sockets(_ remote: String?, _ environment: [String: String]) -> [String] {
        RemoteAddress(remote: remote) { environment[$0] }.sockets
    }

    func testTheUsersDefaultDaemonComesFirstAndTheSystemsSecond() {
        XCTAssertEqual(
            sockets(nil, ["XDG_RUNTIME_DIR": "/run/user/1000"]),
            ["/run/user/1000/pipewire-0", "/run/pipewire/pipewire-0"])
    }

    func testPipeWiresOwnVariablesGoFirst() {
        let environment = [
            "XDG_RUNTIME_DIR": "/x", "PIPEWIRE_RUNTIME_DIR": "/p", "PIPEWIRE_REMOTE": "other",
        ]
        XCTAssertEqual(sockets(nil, environment), ["/p/other", "/run/pipewire/other"])
        XCTAssertEqual(sockets("named", environment), ["/p/named", "/run/pipewire/named"])
    }

    func testOnlyADaemonThatWasAskedForIsExplicit() {
        XCTAssertTrue(RemoteAddress(remote: "named").isExplicit)
        XCTAssertFalse(RemoteAddress(remote: nil) { _ in "other" }.isExplicit)
    }

    func testAnAbsolutePathIsTakenAsItIs() {
        XCTAssertEqual(sockets("/tmp/socket", ["XDG_RUNTIME_DIR": "/x"]), ["/tmp/socket"])
    }

    func testWithoutAnyFolderOnlyTheSystemsDaemonIsTried() {
        XCTAssertEqual(sockets(nil, [:]), ["/run/pipewire/pipewire-0"])
        XCTAssertEqual(
            RemoteAddress(remote: nil) { _ in nil }.failure,
            .noDaemon(sockets: ["/run/pipewire/pipewire-0"], hasRuntimeDirectory: false))
        // libpipewire takes an empty variable as it is.
        XCTAssertEqual(
            RemoteAddress(remote: nil) { $0 == "XDG_RUNTIME_DIR" ? "" : nil }.failure,
            .noDaemon(sockets: ["/pipewire-0", "/run/pipewire/pipewire-0"], hasRuntimeDirectory: false))
    }

    func testAnEmptyRemoteIsTheDefaultAndAListIsTriedInOrder() {
        func sockets(_ remote: String) -> [String] {
            RemoteAddress(remote: nil) { ["PIPEWIRE_REMOTE": remote, "XDG_RUNTIME_DIR": "/run/user/1"][$0] }.sockets
        }
        XCTAssertEqual(sockets(""), ["/run/user/1/pipewire-0", "/run/pipewire/pipewire-0"])
        for list in ["[ a, /x/b ]", "[\"a\" \"/x/b\"]"] {
            XCTAssertEqual(sockets(list), ["/run/user/1/a", "/run/pipewire/a", "/x/b"])
        }
        XCTAssertEqual(sockets("["), ["/run/user/1/[", "/run/pipewire/["])
    }

    func testEveryCauseOfAFailedConnectIsItsOwnError() {
        let address = RemoteAddress(remote: "/nowhere/at/all")
        XCTAssertEqual(address.error(for: EHOSTDOWN), .noDaemon(sockets: ["/nowhere/at/all"]))
        XCTAssertEqual(address.error(for: ECONNREFUSED), .noDaemon(sockets: ["/nowhere/at/all"]))
        XCTAssertEqual(address.error(for: EACCES), .noPermission(what: "/nowhere/at/all"))
        XCTAssertEqual(address.error(for: EPROTO), .incompatible(reason: PipeWireError.words(for: EPROTO)))
        guard case .timedOut = address.error(for: EAGAIN) else {
            return XCTFail("a daemon with a full queue is taken for one that never answers")
        }
        XCTAssertEqual(address.error(for: ENOMEM), .callFailed(call: "pw_context_connect", code: ENOMEM))
    }
}
