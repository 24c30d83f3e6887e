// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

final class ChannelPairingTests: XCTestCase {
    private func channels(_ positions: [String?]) -> [GraphPort.Channel] {
        positions.enumerated().map {
            GraphPort.Channel(
                name: "port_\($0.element ?? "\($0.offset)")", position: $0.element, isMonitor: false,
                id: UInt32($0.offset))
        }
    }

    private func links(_ pairing: ChannelPairing, _ outputs: [String?], _ inputs: [String?]) throws -> [[Int]] {
        try pairing.resolve(outputs: channels(outputs), inputs: channels(inputs)).map { [$0.output, $0.input] }
    }

    func testEachFormHasItsLinks() throws {
        let stereo = ["FL", "FR"]
        for (pairing, outputs, inputs, expected) in [
            (.matching, stereo, stereo, [[0, 0], [1, 1]]), (.matching, ["MONO"], stereo, [[0, 0], [0, 1]]),
            (.crossed, stereo, stereo, [[0, 1], [1, 0]]), (.downmix(), stereo, ["MONO"], [[0, 0], [1, 0]]),
            (.downmix(), ["MONO"], ["MONO"], [[0, 0]]), (.downmix(into: "R"), stereo, stereo, [[0, 1], [1, 1]]),
            (.single(output: "fl"), stereo, stereo, [[0, 0], [0, 1]]),
            (.single(output: "R"), stereo, ["MONO"], [[1, 0]]),
            (.single(output: "FL", input: "FR"), stereo, stereo, [[0, 1]]),
            (.single(input: "2"), ["MONO"], stereo, [[0, 1]]),
            (.single(), ["MONO"], stereo, [[0, 0], [0, 1]]),
            (
                .pairs([.init("FL", "1"), .init("port_FR", "1"), .init("L", "fl"), .init("2", "2")]), stereo, stereo,
                [[0, 0], [1, 0], [1, 1]]
            ),
        ] as [(ChannelPairing, [String?], [String?], [[Int]])] {
            XCTAssertEqual(try links(pairing, outputs, inputs), expected, "\(pairing)")
        }
    }

    func testWhatDoesNotFitSaysWhy() {
        let stereo = ["FL", "FR"]
        for (pairing, outputs, inputs, fault) in [
            (.matching, stereo, ["MONO"], .mismatch), (.downmix(), stereo, stereo, .mismatch),
            (.downmix(), [], ["MONO"], .mismatch), (.single(), stereo, stereo, .mismatch),
            (.single(output: "FL"), stereo, ["A", "B", "C"], .mismatch), (.pairs([]), stereo, stereo, .mismatch),
            (.crossed, stereo, ["MONO"], .noInput("FR")), (.crossed, ["MONO"], stereo, .noOutput("FL")),
            (.downmix(into: "LFE"), stereo, stereo, .noInput("LFE")),
            (.pairs([.init("0", "1")]), stereo, stereo, .noOutput("0")),
            (.pairs([.init("1", "3")]), stereo, stereo, .noInput("3")),
            (.single(output: ""), stereo, stereo, .noOutput("")),
            (.single(output: "-1"), stereo, stereo, .noOutput("-1")),
        ] as [(ChannelPairing, [String?], [String?], ChannelPairing.Fault)] {
            XCTAssertThrowsError(try links(pairing, outputs, inputs), "\(pairing)") {
                XCTAssertEqual($0 as? ChannelPairing.Fault, fault)
            }
        }
    }

    /// The names of channels are those of other processes.
    func testTheFirstOfSeveralChannelsOfOneNameIsMeant() throws {
        XCTAssertEqual(try links(.single(output: "FL", input: "2"), ["FL", "FL"], ["1", "2"]), [[0, 1]])
        // A position "2" comes before the number 2.
        XCTAssertEqual(try links(.single(output: "2", input: "1"), ["2", nil], [nil]), [[0, 0]])
        let long = String(repeating: "9", count: 1_000_000)
        XCTAssertThrowsError(try links(.single(output: long), ["FL"], ["FL"]))
    }
}
