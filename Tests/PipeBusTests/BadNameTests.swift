// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import XCTest

final class BadNameTests: BusTestCase {
    private func error(id: String = "org.example.app", name: String = "App", remote: String = "/nowhere/x") async
        -> PipeBusError?
    {
        do {
            _ = try await BusClient.connect(as: id, name: name, remote: remote)
            return nil
        } catch {
            return error as? PipeBusError
        }
    }

    func testAnIDMustBeReverseDNS() async {
        for id in ["", "app", ".", "org.", ".app", "org..app", "org.1app", "org.exa mple", "org.ex/ample", "örg.app"] {
            let error = await error(id: id)
            XCTAssertEqual(error?.code, .invalidArgument, id)
        }
        for id in ["org.app", "org.example-site.App_2"] {
            let error = await error(id: id)
            XCTAssertEqual(error?.code, .noDaemon, id)
        }
    }

    func testANameIsShortAndOnOneLine() async {
        let bad = [
            "", "  ", "a\nb", "a\u{0}b", "a\u{1B}[31m", "a\u{2028}b", "a:b", "a/b", "a:\u{301}b", "a/\u{20D2}b",
            String(repeating: "x", count: 10_240),
        ]
        for name in bad {
            let error = await error(name: name)
            XCTAssertEqual(error?.code, .invalidArgument, name)
        }
        for name in ["Größe", "ピアノ", "Tone 2", String(repeating: "x", count: 128)] {
            let error = await error(name: name)
            XCTAssertEqual(error?.code, .noDaemon, name)
        }
    }

    func testAnErrorIsOneShortLineWhateverWasTyped() async {
        for id in [
            "\u{1B}[2J\n\n", String(repeating: "🎹", count: 5000), "a" + String(repeating: "\u{301}", count: 5000),
        ] {
            let message = await error(id: id)?.message ?? ""
            XCTAssertLessThan(message.count, 250)
            XCTAssertLessThan(message.utf8.count, 700)
            XCTAssertFalse(message.unicodeScalars.contains { $0.value < 32 })
        }
    }

    func testALayoutOfAnySizeCanBeSpelled() {
        XCTAssertEqual(ChannelLayout.channels(0).positions, [])
        XCTAssertEqual(ChannelLayout.channels(-5).positions, [])
        XCTAssertEqual(ChannelLayout.channels(1), .mono)
        XCTAssertEqual(ChannelLayout.channels(2), .stereo)
        XCTAssertEqual(ChannelLayout.channels(3).positions, ["AUX0", "AUX1", "AUX2"])
    }
}
